import { strictEqual } from 'node:assert';
import { codesOfCoupon, promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import type { StoredPromotionalCode } from '../../shared/domain/promotional-codes/rules.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { events } from '../../shared/webhooks/delivery/repository.ts';
import { storeAll } from '../support/sales.ts';
import { makeStoredCode } from '../support/stored-records.ts';
import { bench, until } from './bench-stack.ts';

/** Deletes a coupon with 20,000 codes: all of them go, each with one event. */
const codeCount = Number(process.argv[2] ?? 20_000);

const storedCode = (couponId: string, number: number): StoredPromotionalCode => {
  const now = new Date();
  const at = now.toISOString();
  return makeStoredCode({ id: newRecordId(now), createdAt: at, updatedAt: at, code: `CODE-${number}`, couponId });
};

await bench(async ({ programId, call, timed }) => {
  const { id: couponId } = await call('POST', '/coupons', { name: 'Full size', percentOff: 20 });
  const codes = Array.from({ length: codeCount }, (_, number) => storedCode(couponId, number));
  await timed(`${codeCount} codes written`, () =>
    storeAll(codes.flatMap((code) => promotionalCodes.creation(programId, code))),
  );
  const eventsOf = async (type: string): Promise<number> => {
    const codesSeen = new Set<string>();
    let count = 0;
    let after: string | undefined;
    do {
      const page = await events.page(programId, { limit: 1000, after }, { index: 'GSI1', parts: ['TYPE', type] });
      for (const { body } of page.items) {
        codesSeen.add(JSON.parse(body).data.code);
        count += 1;
      }
      after = page.next;
    } while (after);
    strictEqual(codesSeen.size, count, `Each code has one ${type}`);
    return count;
  };
  const allHave = (type: string) => until(async () => (await eventsOf(type)) === codeCount);
  await timed('promotional_code.created for each', () => allHave('promotional_code.created'));
  await timed('DELETE /coupons', () => call('DELETE', '/coupons', { couponId }));
  await timed('all codes gone', () =>
    until(
      async () => (await promotionalCodes.page(programId, { limit: 1 }, codesOfCoupon(couponId))).items.length === 0,
    ),
  );
  await timed('promotional_code.deleted for each', () => allHave('promotional_code.deleted'));
  strictEqual((await call('GET', '/promotional-codes')).length, 0);
});
