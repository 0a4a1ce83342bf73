/** The size of a value in bytes by DynamoDB's rules: what write units are counted by. */
const sizeOfValue = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'boolean' || value === null) return 1;
  if (typeof value === 'number') {
    const digits = String(Math.abs(value))
      .replace('.', '')
      .replaceAll(/^0+|0+$/g, '').length;
    return Math.ceil(digits / 2) + 1;
  }
  if (value instanceof Object)
    return (
      3 +
      Object.entries(value).reduce((sum, [name, inner]) => sum + 1 + Buffer.byteLength(name) + sizeOfValue(inner), 0)
    );
  throw new Error(`An item does not hold a ${typeof value} here`);
};

/** The size of an item in bytes by DynamoDB's rules. */
export const itemSize = (item: Record<string, unknown>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOfValue(value), 0);
