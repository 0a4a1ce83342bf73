/** For a read that begins before it is needed, beside another one. Whoever awaits it gets its failure; nobody may have to. */
export const begin = <Result>(reading: Promise<Result>): Promise<Result> => {
  reading.catch(() => {});
  return reading;
};
