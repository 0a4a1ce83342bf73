import { beforeEach, expect, it, vi } from 'vitest';
import { importedOrdersWrite } from '../../../shared/domain/attribution/customers.ts';

beforeEach(() => vi.stubEnv('RECORDS_TABLE', 'records'));

it.each([
  { known: undefined, sets: true },
  { known: '2024-05-02T00:00:00.000Z', sets: true },
  { known: '2024-05-01T00:00:00.000Z', sets: false },
  { known: '2024-04-30T00:00:00.000Z', sets: false },
])('imported orders of 2024-05-01 set the first sale of a customer whose first is $known: $sets', ({ known, sets }) => {
  const createdAt = '2024-05-01T00:00:00.000Z';
  const { Update } = importedOrdersWrite('program', 'customer', { orders: 2, createdAt, known });
  expect(Update?.UpdateExpression).toBe(sets ? 'ADD orders :orders SET firstSaleAt = :at' : 'ADD orders :orders');
});
