import { GetObjectCommand } from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { fileKinds } from '../../contract/files.ts';
import { objects } from './client.ts';
import { locationOf, type ProgramFile } from './files.ts';

/** A form by which somebody without permissions of their own uploads one file. */
export interface UploadForm {
  readonly url: string;
  /** Its hidden fields; after them comes the file, as the last field, with the name `file`. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Makes a form that uploads this file, of this content type, with 1 to `maxBytes` bytes, for `seconds` from now on. It can be
 * sent again in that time, which replaces the file: whoever has checked one reads it by its ETag. docs/security.md#files
 *
 * @param redirect where the browser goes after the upload; without it the response is a 204
 */
export const uploadForm = async (
  file: ProgramFile,
  { maxBytes, seconds, redirect }: { maxBytes: number; seconds: number; redirect?: string },
): Promise<UploadForm> =>
  createPresignedPost(objects, {
    ...locationOf(file),
    Expires: seconds,
    Fields: {
      'Content-Type': fileKinds[file.kind].contentType,
      ...(redirect !== undefined && { success_action_redirect: redirect }),
    },
    Conditions: [['content-length-range', 1, maxBytes]],
  });

/** RFC 6266: the name in ASCII for old browsers, and as it is for all others. */
const attachment = (fileName: string): string => {
  const ascii = fileName.replaceAll(/[^ -~]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
};

/**
 * A URL that downloads this file under the name `fileName`, for `seconds` from now on, at most until the credentials of the
 * function end. Whoever has it can read the file: it belongs into no log.
 */
export const downloadUrl = async (
  file: ProgramFile,
  { fileName, seconds }: { fileName: string; seconds: number },
): Promise<string> => {
  const command = new GetObjectCommand({ ...locationOf(file), ResponseContentDisposition: attachment(fileName) });
  return getSignedUrl(objects, command, { expiresIn: seconds });
};
