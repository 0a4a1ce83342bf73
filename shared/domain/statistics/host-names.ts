/** A click id carries a host, and Stripe takes a reference of at most 200 characters. */
export const maxHostCharacters = 60;
/** Names what is counted together. docs/behavior.md#what-is-counted-as-a-click */
export const otherHost = 'other';
