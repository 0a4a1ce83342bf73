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
  toResponse: async (program, code, now) => {
    const [response] = await codeResponses(program, [code], now);
    if (!response) throw new Error(`Promotional code ${code.id} cannot be shown`);
    return response;
  },
  notEdited: ['timesRedeemed', 'coupon'],
  example: codeExample,
  editedExample: { ...codeExample, updatedAt: '2026-02-01T12:00:00.000Z', active: false },
});
