import { randomUUID } from 'node:crypto';
import type { Operation } from '../../shared/contract/operation.ts';
import { connectorOnly, type DeclaredOperation, operations } from '../../shared/contract/operations.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { connectCode } from '../../shared/domain/promotional-codes/link-connections.ts';
import { makeDoneExport } from '../support/done-export.ts';
import { functionEnvironment, invoke } from './in-process.ts';
import { acceptMessages } from './recorded-calls.ts';

export type OperationId = DeclaredOperation['id'];

export const operationWithId = (id: string): Operation => {
  const found = [...operations, ...connectorOnly].find((operation) => operation.id === id);
  if (!found) throw new Error(`There is no operation ${id}`);
  return found;
};

/** Creates something by an operation, and returns the record. */
const make = async (apiKey: string, id: OperationId, body: object) => {
  const response = await invoke(operationWithId(id), apiKey, { body });
  if (response.statusCode !== 200) throw new Error(`${id} returned ${response.statusCode}: ${response.body}`);
  return JSON.parse(response.body);
};

const makeRecords = async (apiKey: string, connectorKey: string) => {
  // One word, as the search counts them.
  const mark = randomUUID().replaceAll('-', '');
  const affiliate = await make(apiKey, 'createAffiliate', { email: `${mark}@example.com`, firstName: 'Amara' });
  const group = await make(apiKey, 'createGroup', { name: mark, commissionRate: 25 });
  const coupon = await make(apiKey, 'createCoupon', { name: mark, percentOff: 20, externalId: mark });
  const code = await make(apiKey, 'createPromotionalCode', {
    couponId: coupon.id,
    affiliateId: affiliate.id,
    code: mark,
    externalId: mark,
  });
  const referral = await make(apiKey, 'createReferral', {
    name: 'Priya',
    email: `customer-${mark}@example.com`,
    affiliateId: affiliate.id,
    referredUserExternalId: mark,
  });
  const sale = await make(apiKey, 'createSale', { totalEarned: 10, referralId: referral.id, externalId: mark });
  const batch = await make(apiKey, 'createPayoutBatch', { periodEnd: '2020-01-01T00:00:00Z' });
  const url = `https://example.com/${mark}`;
  const webhook = await make(apiKey, 'createWebhook', { url, eventTypes: ['*'] });
  const delivery = await make(apiKey, 'testWebhook', { webhookId: webhook.id });
  const subscription = await make(connectorKey, 'subscribe', { url, eventTypes: ['link.deleted'] });
  const link = affiliate.affiliateLinks[0];
  return { affiliate, group, coupon, code, referral, sale, batch, link, webhook, delivery, subscription };
};

/** A program with two records of each kind, so that a list of one has a next page. The functions in this process know its key. */
export const makeWorld = async () => {
  Object.assign(process.env, functionEnvironment());
  acceptMessages();
  const ownerEmail = `${randomUUID()}@example.com`;
  const { programId, apiKey } = await createProgram({ name: 'Speed', ownerEmail }, new Date());
  const connectorKey = await connectorToken(programId, 'https://platform.example.com', new Date());
  const older = await makeRecords(apiKey, connectorKey);
  const records = await makeRecords(apiKey, connectorKey);
  await connectCode(programId, records.code.id);
  await makeDoneExport(programId);
  const exported = await makeDoneExport(programId);
  return {
    /** Other records of the same program, in place of those that it returns. */
    makeRecords: () => makeRecords(apiKey, connectorKey),
    programId,
    apiKey,
    connectorKey,
    older,
    ...records,
    exported,
    make: (id: OperationId, body: object) => make(apiKey, id, body),
    makeConnected: (id: OperationId, body: object) => make(connectorKey, id, body),
  };
};

export type World = Awaited<ReturnType<typeof makeWorld>>;
