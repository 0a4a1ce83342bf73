import { canonicalEmail } from '../../contract/email.ts';

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

type Named = Pick<Person, 'email'>;

export const isEmailOf = ({ email }: Named, value: unknown): boolean =>
  typeof value === 'string' && value.toLowerCase() === email;

const contains = ({ email }: Named, text: string): boolean => text.toLowerCase().includes(email);

/** The text before belongs to a longer local part, unless it is an escape of JSON such as `\n`. */
const endsInLocalPart = /(?<!\\|\\u[0-9a-f]{3})[a-z0-9][._+'-]*$/;
const beginsWithDomain = /^([a-z0-9]|(-[a-z0-9-]*)?\.[a-z0-9])/;

/** Whether a text contains the email, and not only as a part of another one. docs/behavior.md#emails-in-texts */
export const mentions = (person: Named, text: string): boolean => {
  if (!contains(person, text)) return false;
  const parts = text.toLowerCase().split(person.email);
  return parts.slice(1).some((after, at) => !endsInLocalPart.test(parts[at] ?? '') && !beginsWithDomain.test(after));
};

/**
 * A JSON value in which every text and key that mentions the email is `erased`. In what is the person's own, it may also be a part of
 * another text, such as an id.
 */
export const withoutEmail = (value: unknown, person: Named, isOwn = false): unknown => {
  const isFound = isOwn ? contains : mentions;
  if (typeof value === 'string') return isFound(person, value) ? erased : value;
  if (Array.isArray(value)) return value.map((entry) => withoutEmail(entry, person, isOwn));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      isFound(person, key) ? erased : key,
      withoutEmail(inner, person, isOwn),
    ]),
  );
};

export const emailFields: readonly string[] = ['email', 'payoutEmail'];

/** The value of a field without the email: what is an email there is compared as a whole. */
export const fieldWithoutEmail = (name: string, value: unknown, person: Named, isOwn: boolean): unknown => {
  const isText = typeof value === 'string' && contains(person, value);
  const isEmail = isText && emailFields.includes(name) && canonicalEmail(value) !== undefined;
  return isEmail && !isEmailOf(person, value) ? value : withoutEmail(value, person, isOwn);
};
