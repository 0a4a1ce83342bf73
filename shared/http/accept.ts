const qualityOf = (accept: string, mediaType: string): number => {
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()));
  const range = ranges.find(([type]) => type === mediaType);
  if (!range) return 0;
  return Number(range.find((parameter) => parameter.startsWith('q='))?.slice('q='.length) ?? 1);
};

/** Whoever accepts everything gets JSON. */
export const prefersCsv = (accept = ''): boolean =>
  qualityOf(accept, 'text/csv') > qualityOf(accept, 'application/json');
