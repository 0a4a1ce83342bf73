/** The kinds of files that a program has, each in a folder of its own. docs/data-model.md#the-bucket-files */
export const fileKinds = {
  'import-files': { folder: 'imports', extension: 'csv', contentType: 'text/csv' },
  'export-files': { folder: 'exports', extension: 'zip', contentType: 'application/zip' },
} as const;
export type FileKind = keyof typeof fileKinds;

export const fileActions = {
  read: ['s3:GetObject'],
  // Whoever writes in parts also gives up the parts of what failed.
  write: ['s3:AbortMultipartUpload', 's3:PutObject'],
  delete: ['s3:DeleteObject'],
} as const;
export type FileUse = keyof typeof fileActions;

/** The key of a file, which begins with its program: `programs/<programId>/imports/<id>.csv`. Both ids are UUIDs. */
export const fileKey = (kind: FileKind, programId: string, id: string): string => {
  const { folder, extension } = fileKinds[kind];
  return `programs/${programId}/${folder}/${id}.${extension}`;
};

export const filesBucketVariable = 'FILES_BUCKET';
