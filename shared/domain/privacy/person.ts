/** Who is erased, and what of the program is theirs, as far as it was found. */
export interface Person {
  erasureId: string;
  email: string;
  /** Ids of affiliates, referrals and sales, as responses show them. */
  ids: Set<string>;
  /** What the program calls them elsewhere: `customerId` of sales, `referredUserExternalId` of referrals. */
  customerIds: Set<string>;
}

export const erased = 'erased';

/** A valid email of nobody, for a field that must have one. The domain is reserved for that by RFC 2606. */
export const erasedEmail = (id: string): string => `${erased}-${id}@erased.invalid`;

/** Whether a text contains the email, whatever its case. */
export const mentions = ({ email }: Pick<Person, 'email'>, text: string): boolean =>
  text.toLowerCase().includes(email.toLowerCase());

/** A JSON value in which every text and key that contains the email is `erased`. */
export const withoutEmail = (value: unknown, person: Pick<Person, 'email'>): unknown => {
  if (typeof value === 'string') return mentions(person, value) ? erased : value;
  if (Array.isArray(value)) return value.map((entry) => withoutEmail(entry, person));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [mentions(person, key) ? erased : key, withoutEmail(inner, person)]),
  );
};
