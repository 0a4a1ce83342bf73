/** What lies below it is deleted after 7 days; what lies below another root stays until it is deleted. */
export const expiringRoot = 'programs';

/** The kinds of files that a program has, each in a folder of its own. docs/data-model.md#the-bucket-files */
export const fileKinds = {
  'import-files': { root: expiringRoot, folder: 'imports', extension: 'csv', contentType: 'text/csv' },
  'export-files': { root: expiringRoot, folder: 'exports', extension: 'zip', contentType: 'application/zip' },
  // What they are is known from their content alone.
  'asset-uploads': {
    root: expiringRoot,
    folder: 'asset-uploads',
    extension: 'bin',
    contentType: 'application/octet-stream',
  },
  'asset-images': { root: 'kept', folder: 'asset-images', extension: 'bin', contentType: 'application/octet-stream' },
} as const;
export type FileKind = keyof typeof fileKinds;

export const fileActions = {
  read: ['s3:GetObject'],
  // Whoever writes in parts also gives up the parts of what failed.
  write: ['s3:AbortMultipartUpload', 's3:PutObject'],
  delete: ['s3:DeleteObject'],
} as const;
export type FileUse = keyof typeof fileActions;

/** The key of a file, which names its program: `programs/<programId>/imports/<id>.csv`. Both ids are UUIDs. */
export const fileKey = (kind: FileKind, programId: string, id: string): string => {
  const { root, folder, extension } = fileKinds[kind];
  return `${root}/${programId}/${folder}/${id}.${extension}`;
};

export const filesBucketVariable = 'FILES_BUCKET';
