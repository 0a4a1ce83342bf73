import { referralOperations } from '../shared/contract/referrals.ts';
import { deleteReferral } from '../shared/domain/deletions/delete-referral.ts';
import { updateReferral } from '../shared/domain/referrals/change-referral.ts';
import { createReferral } from '../shared/domain/referrals/create-referral.ts';
import { findReferral, listReferrals } from '../shared/domain/referrals/list-referrals.ts';
import { referralResponse } from '../shared/domain/referrals/rules.ts';
import { apiPath } from '../shared/http/api.ts';
import { selectorOf } from '../shared/http/selectors.ts';

export const handler = apiPath(referralOperations, {
  readReferral: async ({ program, parameters }) =>
    referralResponse(await findReferral(program.id, parameters.id), program),
  listReferrals: async ({ program, query, page }) => {
    const selector = selectorOf(query, ['id', 'externalId']);
    if (selector) return referralResponse(await findReferral(program.id, selector), program);
    return (await listReferrals(program.id, query, page)).map((referral) => referralResponse(referral, program));
  },
  createReferral: async ({ program, body, now, idempotency }) =>
    referralResponse(await createReferral(program, body, now, idempotency), program),
  updateReferral: async ({ program, body, expectedVersions, now }) =>
    referralResponse(await updateReferral(program.id, body, expectedVersions, now), program),
  deleteReferral: async ({ program, body, expectedVersions, now }) => {
    const { id, email } = await deleteReferral(program.id, body.referralId, expectedVersions, now);
    return { message: 'Referral deleted', deletedReferral: { id, email } };
  },
});
