/** How much an Accept header wants a media type that it names: 0 to 1, and 0 where it does not name it. */
const qualityOf = (accept: string, mediaType: string): number => {
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()));
  const range = ranges.find(([type]) => type === mediaType);
  if (!range) return 0;
  return Number(range.find((parameter) => parameter.startsWith('q='))?.slice('q='.length) ?? 1);
};

/** Whether an Accept header asks for CSV by name, and for JSON less. Whoever accepts everything gets JSON. */
export const prefersCsv = (accept = ''): boolean =>
  qualityOf(accept, 'text/csv') > qualityOf(accept, 'application/json');
