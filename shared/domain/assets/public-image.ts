import { buffer } from 'node:stream/consumers';
import { imageTypes } from '../../contract/asset-images.ts';
import { fileState, openFile } from '../../platform/objects/files.ts';
import { imageFile } from './asset-files.ts';
import { imageIn } from './image-content.ts';

interface PublicImage {
  readonly etag: string;
  readonly contentType: string;
  /** Absent for who has it already. */
  readonly content: Buffer | undefined;
}

const uuidForm = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const programForm = new RegExp(`^${uuidForm}$`);
const fileForm = new RegExp(
  `^(${uuidForm})\\.(${Object.values(imageTypes)
    .map(({ extension }) => extension)
    .join('|')})$`,
);

/**
 * The image at a public address, as what its content is. Reads the bucket alone, so that views cost no unit of the table.
 *
 * @param knownEtags what `If-None-Match` says
 * @returns undefined where there is none, or one of another type than the address says
 */
export const readPublicImage = async (
  programId: string,
  file: string,
  knownEtags: string | undefined,
): Promise<PublicImage | undefined> => {
  const [, id, extension] = fileForm.exec(file) ?? [];
  const type = Object.values(imageTypes).find((one) => one.extension === extension);
  if (!id || !type || !programForm.test(programId)) return undefined;
  const { contentType } = type;
  const location = imageFile(programId, id);
  if (knownEtags) {
    const state = await fileState(location);
    if (!state) return undefined;
    if (knownEtags.includes(state.etag)) return { etag: state.etag, contentType, content: undefined };
  }
  const stored = await openFile(location);
  if (!stored) return undefined;
  const content = await buffer(stored.content);
  const image = imageIn(content);
  if (!image || imageTypes[image.type] !== type) return undefined;
  return { etag: stored.etag, contentType, content };
};
