import { randomUUID } from 'node:crypto';
import { webhookTestEvent } from '../../events/webhook-test.ts';
import { applicationBounds } from '../../shared/contract/applications.ts';
import { createAffiliate } from '../../shared/domain/affiliates/create-affiliate.ts';
import { createText } from '../../shared/domain/assets/manage-assets.ts';
import { createApiKey } from '../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { inviteMember, memberIdOf } from '../../shared/domain/programs/members.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { updateApplicationForm } from '../../shared/domain/programs/update-application-form.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { newDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { deliveries, events, storedEvent } from '../../shared/webhooks/delivery/repository.ts';
import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { addImage, uploadImage } from '../support/assets.ts';
import { type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { makeDoneExport } from '../support/done-export.ts';
import { makePlannedImport } from '../support/imports.ts';
import { mailedAddress } from '../support/mails.ts';
import { enterPortal, pathOfPortal, portalToken } from '../support/portal.ts';
import { apiWith, makeAffiliate, makeCode, makeCoupon } from '../support/program.ts';
import { holdSale } from '../support/review.ts';
import { waitingApplication } from '../support/stored-records.ts';

/** Somebody who is signed in, with a program, a key and a connection. */
export interface WebWorld {
  email: string;
  browser: Browser;
  programId: string;
  /** Of the program, in whose portal the browser is the affiliate of `ids` too. */
  handle: string;
  /** Of a link that signs the affiliate in, and is not used. */
  portalToken: string;
  /** Of a mailed link that confirms payout details, and is not used. */
  payoutToken: string;
  /** The records that paths name, by the name of their parameter. */
  ids: Record<
    | 'keyId'
    | 'webhookId'
    | 'deliveryId'
    | 'eventId'
    | 'memberId'
    | 'invitationId'
    | 'payoutBatchId'
    | 'affiliateId'
    | 'applicantId'
    | 'linkId'
    | 'groupId'
    | 'couponId'
    | 'promotionalCodeId'
    | 'referralId'
    | 'saleNumber'
    | 'assetId'
    | 'uploadId'
    | 'exportId'
    | 'importId'
    | 'erasureId',
    string
  >;
}

/** In a program with an open form of as many questions as there may be. */
const makeApplicant = async (programId: string, name: string, now: Date): Promise<string> => {
  const questions = Array.from({ length: applicationBounds.questions }, (_, at) => ({
    question: `${at} ${name}`.slice(0, 200),
    choices: at % 2 ? [name.slice(0, 100), 'Another'] : [],
    isRequired: at === 0,
  }));
  await updateApplicationForm(programId, { isOpen: true, questions, terms: name }, now);
  const application = waitingApplication({ entries: [{ question: name, text: name }] });
  const firstName = name.slice(0, 100);
  return (await createAffiliate(programId, { email: freshEmail(), firstName }, now, { application })).id;
};

/** Text that would end an attribute, a tag or a paragraph, and begin a script. */
const hostileName = `"><script>alert('x')</script><img src=x onerror=alert(1)>'{{7*7}}`;

/** A world in which everything has this name: one that would be a script if it were not text, unless a test chooses. */
export const makeWebWorld = async (name = hostileName): Promise<WebWorld> => {
  const email = freshEmail();
  const now = new Date();
  const { programId, apiKey } = await createProgram({ name, ownerEmail: email }, now);
  const { keyId } = await createApiKey(programId, name, now);
  await connectorToken(programId, name, now);
  const invited = `member-${randomUUID()}@example.com`;
  await inviteMember({ id: programId, ownerEmail: email }, { email: invited, role: 'VIEWER', invitedBy: email }, now);
  const inviter = freshEmail();
  const { programId: invitationId } = await createProgram({ name, ownerEmail: inviter }, now);
  await inviteMember({ id: invitationId, ownerEmail: inviter }, { email, role: 'VIEWER', invitedBy: inviter }, now);
  // Nothing is sent: it is off.
  const endpoint = { url: 'https://example.com/"><script>', eventTypes: ['*' as const], description: name };
  const { id: webhookId } = await createWebhook(programId, { ...endpoint, active: false }, now);
  const event = storedEvent(webhookTestEvent(newRecordId(now), webhookId, { name }, now));
  const responded = { attemptedAt: now.toISOString(), durationMilliseconds: 1, responseStatus: 500 };
  const delivery = {
    ...newDelivery({ ...event, timestamp: event.createdAt }, { id: webhookId, connection: null }),
    attempts: [{ ...responded, responseBody: name, error: name }],
  };
  await writeTogether([...events.createWrites(programId, event), ...deliveries.createWrites(programId, delivery)]);
  const api = apiWith(apiKey);
  const affiliate = await makeAffiliate(api, { firstName: name.slice(0, 100), lastName: name.slice(0, 100) });
  const terms = { productRules: [{ productIds: [name], amount: 5 }], tiers: [{ minimumSales: 10, rate: 30 }] };
  const { body: group } = await api.post('/groups', { name: name.slice(0, 100), commissionRate: 25, ...terms });
  const coupon = await makeCoupon(api, { name, allowAffiliateCodes: true });
  const code = await makeCode(api, coupon.id, { code: '"><script>', affiliateId: affiliate.id });
  const buyer = { name, email: freshEmail() };
  const { body: referral } = await api.post('/referrals', { ...buyer, affiliateId: affiliate.id });
  const { body: sale } = await api.post('/sales', { totalEarned: 10, referralId: referral.id, name });
  const payoutBatchId = (await api.post('/payout-batches', { name })).body.id;
  const { body: held } = await api.post('/sales', { totalEarned: 10, referralId: referral.id, name });
  await holdSale(programId, held.id);
  const { body: erasure } = await api.post('/erasures', { email: freshEmail() });
  const linkId = affiliate.affiliateLinks[0].id;
  const browser = await enterPortal({ ...api, programId }, affiliate.id, await signedIn(email));
  const title = name.slice(0, 100);
  const asset = await createText(programId, { title, text: `${name} {link}` }, now);
  await addImage(browser, programId, title);
  const ids = {
    keyId,
    memberId: memberIdOf(invited),
    invitationId,
    webhookId,
    deliveryId: delivery.id,
    eventId: event.id,
    payoutBatchId,
    linkId,
    affiliateId: affiliate.id,
    applicantId: await makeApplicant(programId, name, now),
    groupId: group.id,
    couponId: coupon.id,
    promotionalCodeId: code.id,
    referralId: referral.id,
    saleNumber: String(sale.id),
    assetId: asset.id,
    uploadId: await uploadImage(browser, programId),
    exportId: (await makeDoneExport(programId)).id,
    importId: await makePlannedImport(programId, name, now),
    erasureId: erasure.id,
  };
  const handle = (await pathOfPortal(programId)).slice('/portal/'.length);
  await browser.submit(`/portal/${handle}/payout-details`, { paymentMethod: 'PAYPAL', payoutEmail: freshEmail() });
  const { searchParams } = new URL(await mailedAddress(affiliate.email, `/portal/${handle}/`));
  const tokens = { portalToken: await portalToken(api, affiliate.id), payoutToken: searchParams.get('token') ?? '' };
  return { email, browser, programId, handle, ...tokens, ids };
};
