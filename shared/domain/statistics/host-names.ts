/** A click id carries a host, and Stripe takes a reference of at most 200 characters. */
export const maxHostCharacters = 60;
/** What hosts beyond those that are named are counted by. docs/behavior.md#what-is-counted-as-a-click */
export const otherHost = 'other';
