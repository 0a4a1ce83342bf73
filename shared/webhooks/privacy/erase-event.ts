import {
  erased,
  erasedEmail,
  fieldWithoutEmail,
  isEmailOf,
  mentions,
  type Person,
} from '../../domain/privacy/person.ts';

// The body of an event contains records in the form of API responses, some nested in others.

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Rule = (value: unknown, id: string) => unknown;

const text: Rule = (value) => (typeof value === 'string' && value !== '' ? erased : value);
const listOf = (change: (entry: Json) => Json) => (value: unknown) =>
  Array.isArray(value) ? value.map((entry: unknown) => (isObject(entry) ? change(entry) : entry)) : value;

/** Of an affiliate, a referral or a sale of the person: what each field becomes. */
const personal: Readonly<Record<string, Rule>> = {
  firstName: text,
  lastName: text,
  name: text,
  email: (value, id) => (value === null ? null : erasedEmail(id)),
  payoutEmail: () => null,
  notes: text,
  metadata: () => ({}),
  customerId: () => null,
  referredUserExternalId: () => null,
  application: (value) => (isObject(value) ? { ...value, entries: [], message: null } : value),
  affiliateLinks: listOf((link) => ({ ...link, link: erased })),
};

const ofAffiliate = { ...personal, externalId: () => null };

const owned: Readonly<Record<string, Rule>> = {
  link: text,
  destinationUrl: () => null,
  fullURLs: () => [],
  code: text,
  metadata: () => ({}),
  promotionalCodes: listOf((code) => ({ ...code, code: erased })),
};

type Relation = 'personal' | 'ofAffiliate' | 'owned' | 'none';
const rules: Readonly<Record<Relation, ReadonlyMap<string, Rule>>> = {
  personal: new Map(Object.entries(personal)),
  ofAffiliate: new Map(Object.entries(ofAffiliate)),
  owned: new Map(Object.entries(owned)),
  none: new Map(),
};

const isAbout = (person: Person, { id, email }: Json): boolean =>
  person.ids.has(String(id)) || isEmailOf(person, email);

const isOwnedBy = ({ ids }: Person, { affiliateId, affiliate }: Json): boolean =>
  ids.has(String(affiliateId)) || (isObject(affiliate) && ids.has(String(affiliate.id)));

const relationOf = (person: Person, object: Json): Relation => {
  if ('code' in object || 'link' in object) return isOwnedBy(person, object) ? 'owned' : 'none';
  if (!isAbout(person, object)) return 'none';
  return 'firstName' in object ? 'ofAffiliate' : 'personal';
};

const erasedObject = (
  person: Person,
  object: Json,
  relation: Relation,
  id: unknown,
  isOwn = relation !== 'none',
): Json =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const rule = rules[relation].get(name);
      if (rule) return [name, rule(value, String(id))];
      const isCustomer = name === 'customerId' && typeof value === 'string' && person.customerIds.has(value);
      const key = mentions(person, name) ? erased : name;
      return [key, isCustomer ? erased : erasedValue(person, name, value, isOwn)];
    }),
  );

/** `isOwn` where it is a part of the person's own record, rather than a record in it. */
const erasedValue = (person: Person, name: string, value: unknown, isOwn: boolean): unknown => {
  if (Array.isArray(value)) return value.map((entry) => erasedValue(person, name, entry, isOwn));
  if (!isObject(value)) return fieldWithoutEmail(name, value, person, isOwn);
  const relation = relationOf(person, value);
  return erasedObject(person, value, relation, value.id, relation !== 'none' || (isOwn && !('id' in value)));
};

/** The body of an event without the person; the same text if it is not about them and does not mention them. `actor` stays: it is a member or an API key. */
export const erasedBody = (person: Person, body: string): string => {
  const { data, previousAttributes, ...event }: Json = JSON.parse(body);
  if (!isObject(data)) return body;
  const relation = relationOf(person, data);
  const before = isObject(previousAttributes) ? previousAttributes : undefined;
  // It has only the fields that changed, and no id.
  const relationBefore =
    relation === 'none' && before && isAbout(person, { email: before.email }) ? 'personal' : relation;
  return JSON.stringify({
    ...event,
    data: erasedObject(person, data, relation, data.id),
    ...(before && { previousAttributes: erasedObject(person, before, relationBefore, data.id) }),
  });
};

/** Whether an event is about something of the person, rather than mentioning them. */
export const isEventAbout = (person: Person, body: string): boolean => {
  const { data }: Json = JSON.parse(body);
  return isObject(data) && relationOf(person, data) !== 'none';
};
