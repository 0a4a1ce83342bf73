import { buffer } from 'node:stream/consumers';
import { maxImageBytes } from '../../contract/asset-images.ts';
import { openFile } from '../../platform/objects/files.ts';
import { uploadedFile } from './asset-files.ts';

export interface Upload {
  readonly etag: string;
  readonly content: Buffer;
}

/** An uploaded file with its content; undefined until it is there. */
export const readUpload = async (programId: string, uploadId: string): Promise<Upload | undefined> => {
  const file = await openFile(uploadedFile(programId, uploadId));
  if (!file) return undefined;
  // The form allows no more.
  if (file.bytes > maxImageBytes) {
    file.content.destroy();
    return undefined;
  }
  return { etag: file.etag, content: await buffer(file.content) };
};
