/** What of a bucket expires; times are in milliseconds since 1970. */
export interface Expiry {
  readonly bucket: string;
  readonly prefix: string;
  /** The last time of writing of objects that are deleted. */
  readonly objectsUntil: number;
  /** The last time of beginning of uploads in parts that are given up. */
  readonly uploadsUntil: number;
}

/** The parts of fauxqs's store that expiry is about. */
export interface ExpiringStore {
  readonly buckets: ReadonlyMap<string, ReadonlyMap<string, { readonly lastModified: Date }>>;
  readonly multipartUploads: ReadonlyMap<
    string,
    { readonly bucket: string; readonly key: string; readonly initiated: Date }
  >;
  deleteObject(bucket: string, key: string): void;
  abortMultipartUpload(uploadId: string): void;
}

/** Teaches fauxqs, which keeps lifecycles and does nothing by them, to delete what has expired. */
export function expireObjects(store: ExpiringStore, { bucket, prefix, objectsUntil, uploadsUntil }: Expiry): void {
  for (const [key, { lastModified }] of [...(store.buckets.get(bucket) ?? [])])
    if (key.startsWith(prefix) && lastModified.getTime() <= objectsUntil) store.deleteObject(bucket, key);
  for (const [uploadId, upload] of [...store.multipartUploads])
    if (upload.bucket === bucket && upload.key.startsWith(prefix) && upload.initiated.getTime() <= uploadsUntil)
      store.abortMultipartUpload(uploadId);
}
