/** A bigint if JavaScript would round it; schemas that expect a number refuse it. */
export const exactNumber = (text: string): number | bigint => {
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? BigInt(text) : number;
};
