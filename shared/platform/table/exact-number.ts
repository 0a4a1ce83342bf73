/** A stored number: one that JavaScript would round comes as a bigint, and is refused where a schema expects none. */
export const exactNumber = (text: string): number | bigint => {
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? BigInt(text) : number;
};
