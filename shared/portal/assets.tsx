import { renderToString } from 'preact-render-to-string';
import { imageTypes } from '../contract/asset-images.ts';
import { linksOf } from '../domain/affiliates/responses.ts';
import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import type { StoredAsset } from '../domain/assets/asset-record.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import type { Page } from '../platform/table/page.ts';
import { Select } from '../web/components/controls.tsx';
import { WithCopyButton } from '../web/components/copyable.tsx';
import { EmptyState } from '../web/components/table.tsx';
import { Paging } from '../web/lists/list-controls.tsx';
import type { ListPart } from '../web/lists/list-part.ts';
import { imageAddress, imageText, ShownImage } from '../web/pages/asset-image.tsx';
import { shareAddress } from '../web/pages/share-address.ts';
import { type View, view } from '../web/responses.ts';
import { Standing } from './overview.tsx';
import { sectionPath } from './paths.ts';

type Link = ReturnType<typeof linksOf>[number];

const LinkChoice = ({ action, links, chosen }: { action: string; links: readonly Link[]; chosen: Link }) => (
  <form class="filter" method="get" action={action}>
    <Select
      name="link"
      label="Your link in texts and banners"
      options={links.map(({ id, link }) => ({ value: id, label: link }))}
      chosen={chosen.id}
    />
    <div class="actions">
      <button class="quiet" type="submit">
        Use this link
      </button>
    </div>
  </form>
);

const CopiedText = ({ label, of, children }: { label: string; of: string; children: string }) => (
  <div class="copy-field">
    <p class="label">{label}</p>
    <WithCopyButton label={of}>
      <span class="whole-text line-breaks">{children}</span>
    </WithCopyButton>
  </div>
);

/** A name that any system takes, with the ending of the type. */
const fileName = (title: string, { type }: Pick<NonNullable<StoredAsset['image']>, 'type'>): string =>
  `${title.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.${imageTypes[type].extension}`;

/** HTML for other sites, with an image that leads to the affiliate's link. */
const bannerHtml = (
  src: string,
  title: string,
  { width, height }: { width: number; height: number },
  address: string,
) =>
  renderToString(
    <a href={address}>
      <img src={src} width={width} height={height} alt={title} />
    </a>,
  );

interface ImageProps {
  src: string;
  title: string;
  image: NonNullable<StoredAsset['image']>;
  address: string | undefined;
}

const ImageAsset = ({ src, title, image, address }: ImageProps) => (
  <>
    <ShownImage src={src} title={title} image={image} />
    <p class="hint">{imageText(image)}</p>
    {address !== undefined && (
      <CopiedText label="Banner (HTML)" of={`the banner ${title}`}>
        {bannerHtml(src, title, image, address)}
      </CopiedText>
    )}
    <p>
      <a class="button quiet" href={src} download={fileName(title, image)}>
        Download <span class="unseen">{title}</span>
      </a>
    </p>
  </>
);

const AssetCard = (props: { programId: string; asset: StoredAsset; address: string | undefined }) => {
  const { asset, address } = props;
  const { title, text, image } = asset;
  return (
    <div class="card asset">
      <h2>{title}</h2>
      {text !== null && (
        <CopiedText label="Text" of={title}>
          {address === undefined ? text : text.replaceAll('{link}', address)}
        </CopiedText>
      )}
      {image && (
        <ImageAsset src={imageAddress(props.programId, asset) ?? ''} title={title} image={image} address={address} />
      )}
    </div>
  );
};

/** An image whose file could not be stored is for the program to repair. */
const isThere = ({ type, image }: StoredAsset): boolean => type === 'TEXT' || image !== null;

/** What the program gives its affiliates to use, with a link of the affiliate. docs/behavior.md#assets */
export const assetsView = (
  program: StoredProgram,
  affiliate: StoredAffiliate,
  { part, page, linkId }: { part: ListPart; page: Page<StoredAsset>; linkId: string | undefined },
): View => {
  const links = linksOf(affiliate);
  const chosen = links.find(({ id }) => id === linkId) ?? links[0];
  const address = chosen && shareAddress(program, chosen.link);
  return view(
    'Assets',
    <>
      <Standing status={affiliate.status} />
      {page.items.length === 0 ? (
        <EmptyState title="No assets yet">Texts and images that the program provides for you appear here.</EmptyState>
      ) : (
        <>
          {chosen ? (
            <LinkChoice action={sectionPath(program, 'assets')} links={links} chosen={chosen} />
          ) : (
            <p class="hint">
              <a href={`${sectionPath(program, 'links')}/new`}>Create a link</a> to get banners that lead to it.
            </p>
          )}
          <div class="assets">
            {page.items.filter(isThere).map((asset) => (
              <AssetCard key={asset.id} programId={program.id} asset={asset} address={address} />
            ))}
          </div>
        </>
      )}
      <Paging part={part} next={page.next} />
    </>,
    { lead: 'Texts and images to use on your own pages. Copy a banner to get the image with your link.' },
  );
};
