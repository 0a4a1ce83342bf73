/**
 * Called by an action or a list as soon as it knows which records it is about, before it writes or reads them. Whoever responds
 * begins there to read what the response shows beside them. It returns nothing and nothing waits for it, so an action is the same
 * without it. docs/decisions/speed.md#reads-beside-an-action
 */
export type OnFound<Found> = (found: Found) => void;

export const readNothingBeside: OnFound<unknown> = () => {};
