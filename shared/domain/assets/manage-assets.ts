import { ApiError, fieldError, requireRecord } from '../../contract/errors.ts';
import { deleteFile, type ProgramFile, putFile } from '../../platform/objects/files.ts';
import { deleteRecord, editRecord } from '../../platform/table/edit.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { withFreeSlot } from '../../platform/table/slots.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { imageFile } from './asset-files.ts';
import { assetSlots, assets, type StoredAsset } from './asset-record.ts';
import { imageIn, problemOfImage } from './image-content.ts';
import { readUpload } from './uploads.ts';

type Content = Pick<StoredAsset, 'type' | 'title' | 'text' | 'image'>;

const createAsset = (programId: string, content: Content, now: Date): Promise<StoredAsset> =>
  withFreeSlot(assets, programId, assetSlots, async (slot) => {
    const at = now.toISOString();
    const asset = { id: newRecordId(now), createdAt: at, updatedAt: at, version: 1, ...content, slot };
    await writeTogether(assets.createWrites(programId, asset));
    return asset;
  });

/** 400 where the program has all assets that it may have. docs/behavior.md#assets */
export const createText = (
  programId: string,
  { title, text }: { title: string; text: string },
  now: Date,
): Promise<StoredAsset> => createAsset(programId, { type: 'TEXT', title, text, image: null }, now);

/** What an image needs of the bucket; tests give their own. */
export interface AssetFiles {
  putFile: (file: ProgramFile, content: Uint8Array) => Promise<void>;
  deleteFile: (file: ProgramFile) => Promise<void>;
}
const bucket: AssetFiles = { putFile, deleteFile };

const target = (programId: string, id: string) => ({ programId, id, noun: 'Asset' });

/**
 * Publishes the image that these bytes are. Its record is stored first, so that no file is public that nothing leads to, and
 * says what the image is once its file is there. 400 for what is no image, or too large, or one too many; 404 if it is deleted meanwhile. docs/behavior.md#assets
 */
export const createImage = async (
  programId: string,
  { title, content }: { title: string; content: Uint8Array },
  now: Date,
  files = bucket,
): Promise<StoredAsset> => {
  const image = imageIn(content);
  const problem = problemOfImage(image);
  if (!image || problem) throw new ApiError('bad_request', problem);
  const { id } = await createAsset(programId, { type: 'IMAGE', title, text: null, image: null }, now);
  await files.putFile(imageFile(programId, id), content);
  try {
    return await editRecord(assets, target(programId, id), (asset) => ({ after: { ...asset, image } }));
  } catch (error) {
    // Whoever deleted the record meanwhile may have looked for the file before it was there.
    if (error instanceof ApiError && error.status === 404) await files.deleteFile(imageFile(programId, id));
    throw error;
  }
};

/** As `createImage`, of an upload as it was shown. 404 without an upload, 409 if it was replaced since. */
export const publishUpload = async (
  programId: string,
  { uploadId, etag, title }: { uploadId: string; etag: string; title: string },
  now: Date,
): Promise<StoredAsset> => {
  const upload = requireRecord(await readUpload(programId, uploadId), 'Upload');
  // Its form can be sent again while it is valid.
  if (upload.etag !== etag) throw new ApiError('conflict', 'The file was uploaded again. Look at it once more.');
  return createImage(programId, { title, content: upload.content }, now);
};

/** 404, or 400 for a text without words. An image keeps its file, and so its address. */
export const editAsset = (
  programId: string,
  assetId: string,
  { title, text }: { title: string; text: string | undefined },
  now: Date,
): Promise<StoredAsset> =>
  editRecord(assets, target(programId, assetId), (asset) => {
    if (asset.type === 'TEXT' && text === undefined) throw fieldError('text', 'text is required');
    if (asset.type === 'IMAGE' && text !== undefined) throw fieldError('text', 'An image has no text');
    return { after: { ...asset, title, text: text ?? null, updatedAt: now.toISOString() } };
  });

/** Its file first: what is left after an interruption is a record, which can be deleted again. 404. */
export const deleteAsset = (programId: string, assetId: string, now: Date, files = bucket): Promise<StoredAsset> =>
  deleteRecord(assets, target(programId, assetId), async ({ type }) => {
    if (type === 'IMAGE') await files.deleteFile(imageFile(programId, assetId));
    return [assets.deletionWrite(programId, assetId, now)];
  });
