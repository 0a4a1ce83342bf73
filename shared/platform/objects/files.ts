import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { type FileKind, fileKey, fileKinds, filesBucketVariable } from '../../contract/files.ts';
import { objects } from './client.ts';

/** A file of a program. Both ids are UUIDs. docs/data-model.md#the-bucket-files */
export interface ProgramFile {
  readonly kind: FileKind;
  readonly programId: string;
  readonly id: string;
}

export interface FileState {
  readonly bytes: number;
  /** Of this content: another upload under the same name has another one. */
  readonly etag: string;
  readonly writtenAt: number;
}

/** Thrown where a file no longer has the content that was asked for. */
export class FileReplaced extends Error {
  override name = 'FileReplaced';
}

/** Bucket and key of a file, as the SDK takes them. Throws without the environment variable. */
export const locationOf = ({ kind, programId, id }: ProgramFile): { Bucket: string; Key: string } => {
  const Bucket = process.env[filesBucketVariable];
  if (!Bucket) throw new Error(`The environment variable ${filesBucketVariable} is not set`);
  return { Bucket, Key: fileKey(kind, programId, id) };
};

const targetOf = (file: ProgramFile) => ({
  ...locationOf(file),
  ContentType: fileKinds[file.kind].contentType,
});

/** Without `s3:ListBucket`, which would show the files of all programs, S3 says 403 and not 404 of a file that is not there. */
const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException && [403, 404].includes(error.$metadata.httpStatusCode ?? 0);

const isReplaced = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412;

const stateOf = (found: {
  ContentLength?: number | undefined;
  ETag?: string | undefined;
  LastModified?: Date | undefined;
}): FileState => ({
  bytes: found.ContentLength ?? 0,
  etag: found.ETag ?? '',
  writtenAt: found.LastModified?.getTime() ?? 0,
});

export const putFile = async (file: ProgramFile, content: string | Uint8Array): Promise<void> => {
  await objects.send(new PutObjectCommand({ ...targetOf(file), Body: content }));
};

const partBytes = 5 * 1024 ** 2;
const partsAtOnce = 2;

/**
 * Writes a file from a stream of any length, in parts of 5 MiB of which two are in memory. It is there when all of it is: a
 * stream that fails leaves what was there before, and its error is thrown.
 */
export const streamFile = async (file: ProgramFile, content: Readable): Promise<void> => {
  const params = { ...targetOf(file), Body: content };
  await new Upload({ client: objects, params, partSize: partBytes, queueSize: partsAtOnce }).done();
};

export const fileState = async (file: ProgramFile): Promise<FileState | undefined> => {
  try {
    return stateOf(await objects.send(new HeadObjectCommand(locationOf(file))));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/**
 * Begins to read a file; undefined where there is none. The stream must be read to its end or destroyed.
 *
 * @param etag of the content that is wanted: throws FileReplaced where it is another one by now
 */
export const openFile = async (
  file: ProgramFile,
  etag?: string,
): Promise<(FileState & { readonly content: Readable }) | undefined> => {
  try {
    const found = await objects.send(new GetObjectCommand({ ...locationOf(file), ...(etag && { IfMatch: etag }) }));
    return { ...stateOf(found), content: found.Body as Readable };
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isReplaced(error)) throw new FileReplaced(`The file ${file.id} has been written again`, { cause: error });
    throw error;
  }
};

/** Deletes a file; nothing happens where there is none. */
export const deleteFile = async (file: ProgramFile): Promise<void> => {
  await objects.send(new DeleteObjectCommand(locationOf(file)));
};
