import { requireRecord } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { updateReferral as operation } from '../../contract/referrals.ts';
import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { referrals } from './repository.ts';
import type { StoredReferral } from './rules.ts';

/** 404 if there is none. docs/behavior.md#referral-records */
export const updateReferral = (
  programId: string,
  { referralId, ...fields }: BodyOf<typeof operation>,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredReferral> =>
  whileChanging(async () => {
    const referral = requireRecord(await referrals.get(programId, referralId), 'Referral');
    expectVersion(referral, expectedVersions);
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const changed: StoredReferral = { ...referral, ...given, updatedAt: now.toISOString() };
    await writeTogether(referrals.change(programId, referral, changed));
    return { ...changed, version: referral.version + 1 };
  });
