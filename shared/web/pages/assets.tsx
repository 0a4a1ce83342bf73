import { maxImageSide } from '../../contract/asset-images.ts';
import { maxTextCharacters, maxTitleCharacters } from '../../contract/assets.ts';
import { bounds } from '../../contract/bounds.ts';
import type { assetPages } from '../../contract/pages/assets.ts';
import type { StoredAsset } from '../../domain/assets/asset-record.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { UploadForm } from '../../platform/objects/presigned.ts';
import type { Page } from '../../platform/table/page.ts';
import { FormCard, LinkButton } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, PostForm } from '../components/controls.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { EmptyState } from '../components/table.tsx';
import { type ControlsOf, elsewhere, FormControls } from '../forms/form-controls.tsx';
import { Paging } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { imageAddress, imageText, ShownImage } from './asset-image.tsx';

export const assetsPath = (programId: string): string => `/programs/${programId}/assets`;
export const uploadPath = (programId: string, uploadId: string): string =>
  `${assetsPath(programId)}/uploads/${uploadId}`;
const assetPath = (programId: string, { id }: Pick<StoredAsset, 'id'>): string => `${assetsPath(programId)}/${id}`;

interface Place {
  session: Session;
  program: StoredProgram;
}

const NewAssets = ({ programId }: { programId: string }) => (
  <>
    <LinkButton quiet to={`${assetsPath(programId)}/new-text`}>
      New text
    </LinkButton>
    <LinkButton to={`${assetsPath(programId)}/new-image`}>New image</LinkButton>
  </>
);

const AssetCard = ({ programId, asset }: { programId: string; asset: StoredAsset }) => {
  const { type, title, text, image } = asset;
  const path = assetPath(programId, asset);
  return (
    <div class="card asset">
      <h2>{title}</h2>
      {text !== null && <p class="line-breaks">{text}</p>}
      {type === 'IMAGE' && !image && (
        <p class="problem">The file of this image could not be stored. Delete it, and add the image again.</p>
      )}
      {image && (
        <>
          <ShownImage src={imageAddress(programId, asset) ?? ''} title={title} image={image} />
          <p class="hint">{imageText(image)}</p>
        </>
      )}
      <div class="actions">
        <LinkButton quiet to={`${path}/edit`}>
          Edit <span class="unseen">{title}</span>
        </LinkButton>
        <LinkButton danger to={`${path}/delete`}>
          Delete <span class="unseen">{title}</span>
        </LinkButton>
      </div>
    </div>
  );
};

export const assetsView = ({ id: programId }: StoredProgram, part: ListPart, page: Page<StoredAsset>): View =>
  view(
    'Assets',
    <>
      {page.items.length === 0 ? (
        <EmptyState title="Give affiliates something to use" action={<NewAssets programId={programId} />}>
          Texts to copy and images for their sites, which lead to their own links. Affiliates find them in the portal.
        </EmptyState>
      ) : (
        <div class="assets">
          {page.items.map((asset) => (
            <AssetCard key={asset.id} programId={programId} asset={asset} />
          ))}
        </div>
      )}
      <Paging part={part} next={page.next} />
    </>,
    {
      actions: page.items.length > 0 && <NewAssets programId={programId} />,
      lead: `Texts and images that affiliates find in the portal. A program has up to ${bounds.assetsOfProgram}.`,
    },
  );

const titleField = (filled: Filled, initial = '') => (
  <Field
    name="title"
    label="Title"
    hint="What affiliates call it. Of an image, also what is read out to people who do not see it."
    initial={initial}
    filled={filled}
    required
    maxLength={maxTitleCharacters}
  />
);

const textField = (filled: Filled, initial = '') => (
  <Field
    name="text"
    label="Text"
    hint="{link} becomes the link of the affiliate"
    initial={initial}
    filled={filled}
    lines={8}
    required
    maxLength={maxTextCharacters}
  />
);

export const newTextView = (place: Place, filled: Filled): View => {
  const path = assetsPath(place.program.id);
  const controls: ControlsOf<typeof assetPages, 'addText'> = { title: titleField(filled), text: textField(filled) };
  return view(
    'New text',
    <FormCard session={place.session} action={`${path}/new-text`} button="Add text" back={path} filled={filled}>
      <FormControls controls={controls} filled={filled} />
    </FormCard>,
  );
};

const Upload = ({ form, back }: { form: UploadForm; back: string }) => (
  <div class="card form">
    <form class="form" method="post" action={form.url} enctype="multipart/form-data">
      {Object.entries(form.fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <div class="fields">
        <div class="field wide">
          <label for="file">Image</label>
          <input id="file" name="file" type="file" accept="image/png,image/jpeg,image/gif,image/webp" required />
          <p class="hint">
            PNG, JPEG, GIF or WebP, up to 2 MB and {maxImageSide} pixels on each side. Everybody can open it once it is
            added, with what the file says about itself, such as where a photo was taken.
          </p>
        </div>
      </div>
      <div class="form-actions">
        <button type="submit">Upload</button>
        <a href={back}>Cancel</a>
      </div>
    </form>
  </div>
);

const uploadTargets = (form: UploadForm) => ({ formTargets: [new URL(form.url).origin] });

export const newImageView = (place: Place, form: UploadForm): View =>
  view('New image', <Upload form={form} back={assetsPath(place.program.id)} />, {
    ...uploadTargets(form),
  });

/** The upload cannot be used: `problem` says why. */
export const refusedUploadView = (place: Place, form: UploadForm, problem: string): View =>
  view(
    'New image',
    <>
      <p class="problem" role="alert">
        {problem}
      </p>
      <Upload form={form} back={assetsPath(place.program.id)} />
    </>,
    uploadTargets(form),
  );

export interface ShownUpload {
  id: string;
  etag: string;
  image: NonNullable<StoredAsset['image']>;
  /** Of a `data:` URL: an upload has no address of its own. */
  src: string;
}

export const uploadView = (place: Place, { id, etag, image, src }: ShownUpload, filled: Filled): View => {
  const { program, session } = place;
  const controls: ControlsOf<typeof assetPages, 'addImage'> = {
    title: titleField(filled),
    etag: elsewhere('it is that of the image that is shown'),
  };
  return view(
    'New image',
    <div class="card form">
      <div class="asset">
        <ShownImage src={src} title="The uploaded image" image={image} />
        <p class="hint">{imageText(image)}</p>
      </div>
      <PostForm session={session} action={uploadPath(program.id, id)} filled={filled}>
        <input type="hidden" name="etag" value={etag} />
        <div class="fields">
          <FormControls controls={controls} filled={filled} />
        </div>
        <div class="form-actions">
          <button type="submit">Add image</button>
          <a href={`${assetsPath(program.id)}/new-image`}>Choose another one</a>
        </div>
      </PostForm>
    </div>,
  );
};

export const assetEditView = (place: Place, asset: StoredAsset, filled: Filled): View => {
  const { program, session } = place;
  const { type, title, text, image } = asset;
  const controls: ControlsOf<typeof assetPages, 'editAsset'> = {
    title: titleField(filled, title),
    text: type === 'IMAGE' ? elsewhere('an image has none') : textField(filled, text ?? ''),
  };
  const back = assetsPath(program.id);
  return view(
    `Edit ${title}`,
    <>
      <FormCard
        session={session}
        action={`${assetPath(program.id, asset)}/edit`}
        button="Save"
        back={back}
        filled={filled}
      >
        <FormControls controls={controls} filled={filled} />
      </FormCard>
      {image && <ShownImage src={imageAddress(program.id, asset) ?? ''} title={title} image={image} />}
    </>,
    {
      actions: <HistoryLink programId={program.id} recordId={asset.id} />,
      ...(image && { lead: 'An image keeps its address. To replace it, add another one and delete this one.' }),
    },
  );
};

export const assetDeletionView = (place: Place, asset: StoredAsset): View => {
  const path = assetPath(place.program.id, asset);
  return view(
    `Delete ${asset.title}?`,
    <Confirmation
      session={place.session}
      action={`${path}/delete`}
      button="Delete asset"
      back={assetsPath(place.program.id)}
    >
      <p>
        This cannot be undone. Affiliates no longer find it in the portal.
        {asset.type === 'IMAGE' && ' Sites that show the image show nothing in its place, some days later at most.'}
      </p>
    </Confirmation>,
  );
};
