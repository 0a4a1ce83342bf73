import { expect, it } from 'vitest';
import { sentFields } from '../../shared/platform/table/edit.ts';

it('an update changes the fields that it sends, null, false, 0 and empty text too, and no field that is undefined', () => {
  const sent = { name: null, active: false, amount: 0, notes: '', productIds: [] };
  const given = sentFields({ ...sent, email: undefined });
  expect(given).toEqual(sent);
  expect(Object.keys(given)).not.toContain('email');
});
