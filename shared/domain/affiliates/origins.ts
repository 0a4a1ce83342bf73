export const originsOf = (baseUrls: readonly string[]): Set<string> =>
  new Set(baseUrls.map((url) => new URL(url).origin));

/** The address, which may be relative to a base; undefined unless it is a page of these origins. */
export const addressWithin = (origins: ReadonlySet<string>, text: string, base?: string): URL | undefined => {
  if (!URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb && url.username === '' && url.password === '' && origins.has(url.origin) ? url : undefined;
};
