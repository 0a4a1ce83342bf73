/** Handles one page; returns where to continue, or undefined at the end. May run twice. */
export type Phase = (after: string | undefined) => Promise<string | undefined>;

/** Thrown if an index lags behind the payouts; the phases start again. */
export class NotAllSeen extends Error {
  override name = 'NotAllSeen';
}
