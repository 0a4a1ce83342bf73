import { PromotionalCode } from '../shared/contract/promotional-codes.ts';
import { codeExample } from '../shared/contract/record-examples.ts';
import { codeResponses } from '../shared/domain/promotional-codes/responses.ts';
import { StoredPromotionalCode } from '../shared/domain/promotional-codes/rules.ts';
import { eventFamily } from './family.ts';

export const promotionalCodeEvents = eventFamily({
  name: 'promotional_code',
  kind: 'PROMOTIONAL_CODE',
  noun: 'promotional code',
  stored: StoredPromotionalCode,
  response: PromotionalCode,
  toResponse: async (program, code, now) => (await codeResponses(program, [code], now))[0],
  notEdited: ['timesRedeemed', 'coupon'],
  example: codeExample,
  editedExample: { ...codeExample, updatedAt: '2026-02-01T12:00:00.000Z', active: false },
});
