import fc from 'fast-check';

const surrogates = 0x800;
const firstSurrogate = 0xd800;

/** Any code point, like fast-check's `binary`, which takes half a second to list them all at its first use. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((at) => String.fromCodePoint(at < firstSurrogate ? at : at + surrogates));
