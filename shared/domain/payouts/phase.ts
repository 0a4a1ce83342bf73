/** Works on one page of a batch and answers where to go on after; undefined when it was the last. May run twice. */
export type Phase = (after: string | undefined) => Promise<string | undefined>;

/** Thrown where an index does not show yet what the payouts already count. The phases are gone through once more. */
export class NotAllSeen extends Error {
  override name = 'NotAllSeen';
}
