import { links } from '../../shared/domain/affiliates/link-repository.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { assets } from '../../shared/domain/assets/asset-record.ts';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import { exports } from '../../shared/domain/exports/export-record.ts';
import { groupsOf } from '../../shared/domain/groups/repository.ts';
import { membershipsOf } from '../../shared/domain/programs/accounts.ts';
import { listApiKeys } from '../../shared/domain/programs/api-keys.ts';
import { allMembers } from '../../shared/domain/programs/members.ts';
import { findConnection, programsOf } from '../../shared/domain/programs/repository.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { referrals } from '../../shared/domain/referrals/repository.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { deliveries } from '../../shared/webhooks/delivery/repository.ts';
import { allWebhooks } from '../../shared/webhooks/endpoints/repository.ts';
import type { WebWorld } from './web-world.ts';

/** What an account has: changes by whatever an action does. */
export const stateOf = async ({ email, programId }: WebWorld): Promise<unknown> => ({
  programs: await programsOf(email),
  memberships: (await membershipsOf(email, { limit: 100 })).items,
  keys: await listApiKeys(programId),
  connection: await findConnection(programId),
  members: await allMembers(programId),
  webhooks: (await allWebhooks(programId)).map(({ seenBy: _, ...webhook }) => webhook),
  affiliates: (await affiliates.page(programId, { limit: 100 })).items,
  groups: await groupsOf(programId),
  coupons: (await coupons.page(programId, { limit: 100 })).items,
  codes: (await promotionalCodes.page(programId, { limit: 100 })).items,
  // Without what workers change in their own time: totals, and the payout batch of a sale.
  referrals: (await referrals.page(programId, { limit: 100 })).items.map(({ id, name, email }) => [id, name, email]),
  sales: (await sales.page(programId, { limit: 100 })).items.map(({ id, name, status }) => [id, name, status]),
  links: (await links.page(programId, { limit: 100 })).items.map(({ id, link }) => [id, link]),
  deliveries: (await deliveries.page(programId, { limit: 100 })).items,
  assets: (await assets.page(programId, { limit: 100 })).items,
  exports: (await exports.page(programId, { limit: 100 })).items.map(({ id }) => id),
});
