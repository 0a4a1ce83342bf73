/** Words of our own paths: `coupons`, `v1`, `openapi.json`. */
const word = /^[a-z]{1,40}\d?$/;
const separators = /[-.]/;
/** Ids of records, which are UUIDs of version 7. Keys are of version 4. */
const recordId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const saleId = /^\d{1,16}$/;
/** The kind before a record's unique name; the name may contain anything, also a slash. */
const named = /^(?:email|link|external|invoice|code)(?::|%3A)/i;

const isSafe = (segment: string): boolean =>
  recordId.test(segment) || saleId.test(segment) || segment.split(separators).every((part) => word.test(part));

/** A path without anything that could be a key, a secret or a record's name: only words and ids stay. */
export const loggedPath = (path: string): string => {
  const logged: string[] = [];
  for (const segment of path.split('/')) {
    const [kind] = named.exec(segment) ?? [];
    logged.push(kind ? `${kind}…` : segment === '' || isSafe(segment) ? segment : '…');
    if (kind) break;
  }
  return logged.join('/');
};
