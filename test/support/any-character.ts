import fc from 'fast-check';

const surrogates = 0x800;
const firstSurrogate = 0xd800;

/** Of every code point, as fast-check's `binary`, which lists them all when it is first used: half a second. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((at) => String.fromCodePoint(at < firstSurrogate ? at : at + surrogates));
