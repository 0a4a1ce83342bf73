import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { emailFields } from '../../../shared/domain/privacy/person.ts';
import { personalData, personalFieldNames, personalRecords } from '../../../shared/domain/privacy/personal-fields.ts';
import { fieldsOf, storedSchemas } from '../../stored/schemas.ts';

const kinds = Object.entries(personalData).map(([kind, declared]) => ({
  kind,
  declared,
  schema: storedSchemas[kind as keyof typeof storedSchemas],
}));

describe('what is stored of a person', () => {
  it.each(kinds.filter(({ declared }) => 'rules' in declared || 'fields' in declared))(
    'has a decision for each field of $kind and no other',
    ({ declared, schema }) => {
      const decided = 'rules' in declared ? Object.keys(declared.rules) : 'fields' in declared ? declared.fields : [];
      expect([...(decided ?? [])].toSorted()).toEqual([...fieldsOf(z.instanceof(z.ZodType).parse(schema))].toSorted());
    },
  );

  it('is compared as a whole in each field that is an email', () => {
    const fields = Object.keys(personalRecords).flatMap((kind) => [
      ...fieldsOf(z.instanceof(z.ZodType).parse(storedSchemas[kind as keyof typeof storedSchemas])),
    ]);
    const emails = fields.filter((name) => /email$/i.test(name));
    expect(emails.length).toBeGreaterThan(2);
    expect([...new Set(emails)].toSorted()).toEqual([...emailFields].toSorted());
  });

  it.each(kinds)('is said of $kind, with a reason where nobody erases it', ({ declared }) => {
    if ('nobody' in declared) expect(declared.nobody).not.toBe('');
    else if ('elsewhere' in declared) expect(declared.elsewhere).not.toBe('');
    else expect(Object.keys(declared.rules)).not.toEqual([]);
  });

  it.each(kinds.flatMap(({ kind, declared }) => ('rules' in declared ? [{ kind, rules: declared.rules }] : [])))(
    'stays erased when $kind is erased again',
    ({ rules }) => {
      const person = {
        erasureId: 'e',
        email: 'mara@example.com',
        ids: new Set<string>(),
        customerIds: new Set(['c1']),
      };
      for (const isOwn of [true, false])
        for (const value of [
          null,
          '',
          'Mara',
          'to mara@example.com',
          'c1',
          { 'mara@example.com': ['MARA@example.com'] },
          true,
        ]) {
          for (const rule of Object.values(rules)) {
            const context = { person, isOwn, id: 'r' };
            const once = rule(value, context);
            expect(rule(once, context)).toEqual(once);
          }
        }
    },
  );

  it('is a text of theirs, or any text with their email', () => {
    const person = {
      erasureId: 'e',
      email: 'mara@example.com',
      ids: new Set<string>(),
      customerIds: new Set<string>(),
    };
    const nameAfter = (value: unknown, isOwn: boolean) =>
      personalRecords.REFERRAL.name(value, { person, isOwn, id: 'r' });
    expect(['Mara', '', null].map((value) => nameAfter(value, true))).toEqual(['erased', '', null]);
    expect(['Mara', 'to mara@example.com'].map((value) => nameAfter(value, false))).toEqual(['Mara', 'erased']);
  });

  it('is no field that is kept, nor whether a record can be used', () => {
    expect([...personalFieldNames]).toEqual(expect.arrayContaining(['firstName', 'email', 'metadata', 'code']));
    for (const name of ['id', 'createdAt', 'commissionRate', 'affiliateId', 'status', 'active'])
      expect(personalFieldNames).not.toContain(name);
  });
});
