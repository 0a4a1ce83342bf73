import { forEachConcurrent } from '../../../platform/concurrency/for-each-concurrent.ts';
import { sendMail } from '../../../platform/mail/send-mail.ts';
import { sendsMails } from '../../../platform/mail/sends-mails.ts';
import { dayIn } from '../../../platform/time/days.ts';
import { affiliates } from '../../affiliates/repository.ts';
import { sendsKind } from '../../programs/mail-settings.ts';
import { portalAddress } from '../../programs/portal-address.ts';
import { programs, type StoredProgram } from '../../programs/repository.ts';
import type { Phase } from '../parts/phase.ts';
import { pageOfPayouts, type StoredPayout } from '../payouts.ts';
import { payoutIdOf } from '../responses.ts';
import type { StoredPayoutBatch } from '../rules.ts';

const payoutsInOneMessage = 100;
const maxConcurrency = 10;

const mailPayout = async (
  program: StoredProgram,
  batch: StoredPayoutBatch,
  { payout, to }: { payout: StoredPayout; to: string },
  now: Date,
): Promise<void> => {
  const data = {
    amountMinor: String(payout.amountMinor),
    currency: batch.currency,
    paidOn: dayIn(program.timeZone, batch.paidAt ?? now),
    code: payout.promotionalCode?.code ?? null,
    url: portalAddress(program),
  };
  const occasion = payoutIdOf(batch, payout.affiliateId);
  await sendMail({ programId: program.id, kind: 'PAYOUT_PAID', to, data, occasion }, now);
};

/** Tells each affiliate what they were paid, unless they were banned or deleted since. Idempotent. docs/behavior.md#first-sale-and-payouts */
export const mailPayouts =
  (programId: string, batch: StoredPayoutBatch, now: Date): Phase =>
  async (after) => {
    if (!sendsMails()) return undefined;
    const program = await programs.get(programId, programId);
    if (!program || !sendsKind(program, 'PAYOUT_PAID')) return undefined;
    const { payouts, next } = await pageOfPayouts(programId, batch.id, { limit: payoutsInOneMessage, after });
    const byId = await affiliates.getMany(
      programId,
      payouts.map(({ affiliateId }) => affiliateId),
    );
    await forEachConcurrent(payouts, maxConcurrency, async (payout) => {
      const affiliate = byId.get(payout.affiliateId);
      if (affiliate && affiliate.status !== 'BANNED')
        await mailPayout(program, batch, { payout, to: affiliate.email }, now);
    });
    return next;
  };
