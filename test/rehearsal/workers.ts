import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { workerOutputs } from '../../infra/constructs/worker-outputs.ts';
import type { UsedPermission } from '../../infra/local/iam/usage.ts';
import { listenOn } from '../../infra/local/listen.ts';
import type { Client } from '../../shared/client/surface.ts';
import type { ImportKind } from '../../shared/contract/imports.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';
import { nameOfNeed } from '../support/declared-needs.ts';
import { importFiles, linesOf } from '../support/import-files.ts';
import { grantingNeeds, usesOf } from '../support/permissions.ts';
import { admin, clientOf, eventually, newProgram } from './checks.ts';
import { clientSettings, type DeployedStack, type Place } from './stack.ts';

// Work for every worker. What each does is checked by what the API shows afterwards.

/** Answers with a failure until told otherwise. */
const startReceiver = async () => {
  let status = 500;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end());
  });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    recover: () => {
      status = 204;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Deliveries that failed are sent again. */
const failAndRetry = async (client: Client, act: () => Promise<unknown>): Promise<void> => {
  const receiver = await startReceiver();
  const since = new Date(Date.now() - 60_000).toISOString();
  const { id: webhookId } = await client.webhooks.create({ url: receiver.url, eventTypes: ['coupon.created'] });
  await act();
  const ofStatus = (status: 'FAILED' | 'SUCCEEDED') =>
    client.webhookDeliveries.list({ webhookId, status }).toArray({ max: 10 });
  await eventually('a delivery fails for good', async () => (await ofStatus('FAILED')).length === 1);
  receiver.recover();
  await client.webhookDeliveries.retry({ webhookId, since });
  await eventually('the delivery is sent again', async () => (await ofStatus('SUCCEEDED')).length === 1);
  await client.webhooks.delete(webhookId);
  receiver.stop();
};

const readyBatch = async (client: Client, body: Parameters<Client['payoutBatches']['create']>[0] = {}) => {
  const { id } = await client.payoutBatches.create(body);
  await eventually('a payout batch is ready', async () => (await client.payoutBatches.get(id)).status === 'READY');
  return id;
};

/** A copy of a coupon over the amount pays one affiliate, and a code of a coupon over a percentage another sale of it. */
const payInCoupons = async (client: Client): Promise<void> => {
  const { id: affiliateId } = await client.affiliates.create({
    firstName: 'Hal',
    email: 'hal@example.com',
    paymentMethod: 'COUPON',
  });
  const { currency } = await client.program.get();
  for (const terms of [{ amountOff: 1, currency }, { percentOff: 50 }]) {
    const coupon = await client.coupons.create({ name: 'Store credit', couponCategory: 'PAYOUT', ...terms });
    await client.sales.create({ totalEarned: 500, referralId: affiliateId, email: 'ida@example.com' });
    const id = await readyBatch(client, { paymentMethod: 'COUPON', couponId: coupon.id, affiliateIds: [affiliateId] });
    await client.payoutBatches.update(id, { status: 'PAID' });
    const codeOf = async () => (await client.payoutBatches.get(id)).payouts?.[0]?.promotionalCode;
    await eventually('an affiliate is paid by a code', async () => Boolean(await codeOf()));
  }
};

/** One batch is deleted, one paid, and one has the adjustment of a sale that was refunded after it was paid. */
const payAndRelease = async (client: Client, saleId: number): Promise<void> => {
  const isInBatch = async () => (await client.sales.get(saleId)).payoutBatchId !== null;
  await client.payoutBatches.delete(await readyBatch(client));
  await eventually('the sale is released', async () => !(await isInBatch()));
  const paid = await readyBatch(client);
  await client.payoutBatches.update(paid, { status: 'PAID' });
  await eventually('the sale is paid', async () => (await client.sales.get(saleId)).paidAt !== null);
  await client.sales.refund(saleId);
  const { id: other } = await client.sales.create({ totalEarned: 500, promoCode: 'SPRING', email: 'dan@example.com' });
  const withAdjustment = await readyBatch(client);
  await client.payoutBatches.delete(withAdjustment);
  await eventually('the other sale is released', async () => (await client.sales.get(other)).payoutBatchId === null);
};

const newGroup = (client: Client) => client.groups.create({ name: 'Partners', commissionRate: 25 });

const isDone = (status: string): boolean => status === 'DONE';

/** Everything of a program is exported, and a person erased of whom it knows nothing. */
const exportAndErase = async (client: Client): Promise<void> => {
  const { id: exportId } = await client.exports.create({});
  await eventually('a program is exported', async () => isDone((await client.exports.get(exportId)).status));
  const { id: erasureId } = await client.erasures.create({ email: 'nobody@example.com' });
  await eventually('nobody is erased', async () => isDone((await client.erasures.get(erasureId)).status));
};

type ImportText = (kind: ImportKind, text: string) => Promise<void>;

/** Imports files into a program, as an operator does. */
const importerOf = (place: Place, stack: DeployedStack, programId: string): ImportText => {
  const file = join(place.folder, 'import.csv');
  return async (kind, text) => {
    writeFileSync(file, text);
    await admin(place, stack, 'import', '--program', programId, '--kind', kind, '--file', file);
  };
};

/** Every kind of file, and then what differs: but links, whose address the program would have to allow first. */
const importHistory = async (importText: ImportText, client: Client): Promise<void> => {
  const tiers = [{ minimumSales: 1, period: 'MONTH' as const, rate: 40 }];
  const { id } = await client.groups.create({ name: 'Early', commissionRate: 10, commissionMonths: 12, tiers });
  const { links: _, ...files } = importFiles(id);
  for (const [kind, file] of Object.entries(files))
    for (const rows of [file.first, file.changed]) await importText(kind as ImportKind, linesOf(file, rows));
};

/** What belongs to a deleted record goes too, and everything of a deleted program. */
const deleteWithAll = async (place: Place, stack: DeployedStack, client: Client): Promise<void> => {
  const affiliate = await client.affiliates.create({ firstName: 'Ben', email: 'ben@example.com' });
  const coupon = await client.coupons.create({ name: 'Autumn', percentOff: 10 });
  const code = await client.promotionalCodes.create({ couponId: coupon.id, code: 'AUTUMN', affiliateId: affiliate.id });
  const codesOfLink = async () =>
    (await client.links.list({ affiliateId: affiliate.id }).toArray({ max: 1 }))[0]?.promotionalCodes;
  await eventually(
    'a code is on its link',
    async () => (await codesOfLink())?.some(({ id }) => id === code.id) ?? false,
  );
  const referral = await client.referrals.create({ name: 'Eve', email: 'eve@example.com', affiliateId: affiliate.id });
  await client.sales.create({ totalEarned: 50, email: 'eve@example.com' });
  await client.referrals.delete(referral.id);
  await client.coupons.delete(coupon.id);
  const codes = () => client.promotionalCodes.list({ affiliateId: affiliate.id }).toArray({ max: 10 });
  await eventually(
    'the codes of a deleted coupon are gone',
    async () => !(await codes()).some(({ id }) => id === code.id),
  );
  await client.affiliates.delete(affiliate.id);
  const sales = () => client.sales.list({ affiliateId: affiliate.id }).toArray({ max: 1 });
  await eventually('the sales of a deleted affiliate are gone', async () => (await sales()).length === 0);

  const [group, other] = [await newGroup(client), await newGroup(client)];
  const member = await client.affiliates.create({ firstName: 'Gil', email: 'gil@example.com', groupId: group.id });
  await client.groups.delete(group.id, { moveTo: other.id });
  const inGroup = () => client.affiliates.list({ groupId: other.id }).toArray({ max: 1 });
  await eventually('the affiliates of a deleted group are moved', async () => (await inGroup())[0]?.id === member.id);

  const { apiKey, programId } = await newProgram(place, stack);
  const doomed = clientOf(stack, apiKey);
  const cleo = await doomed.affiliates.create({ firstName: 'Cleo', email: 'cleo@example.com' });
  await doomed.referrals.create({ name: 'Finn', email: 'finn@example.com', affiliateId: cleo.id });
  const referred = async () => (await doomed.affiliates.get(cleo.id)).numberOfReferredUsers;
  await eventually('a referral is counted, with the sums of its day', async () => (await referred()) === 1);
  await newGroup(doomed);
  await doomed.coupons.create({ name: 'Gone', percentOff: 10 });
  await importerOf(place, stack, programId)('affiliates', 'email,firstName\ngus@example.com,Gus\n');
  await exportAndErase(doomed);
  await admin(place, stack, 'program', 'delete', '--id', programId);
  const database = new DynamoDBClient(clientSettings(place.emulator));
  const isEmpty = async (): Promise<boolean> => {
    const scan = {
      TableName: stack.outputs.TableName,
      FilterExpression: 'contains(pk, :program)',
      ExpressionAttributeValues: { ':program': { S: programId } },
    };
    for await (const { Count } of paginateScan({ client: database }, scan)) if (Count) return false;
    return true;
  };
  await eventually('everything of a deleted program is gone', isEmpty);
};

const everyWorker: readonly Worker[] = workers;
const scheduled = everyWorker.filter(({ trigger }) => trigger.kind === 'schedule');

/** Sends each of them what its schedule would send, and waits until nothing is left: nobody waits for the night. */
const runSchedules = async ({ emulator }: Place, { outputs }: DeployedStack): Promise<void> => {
  const queues = new SQSClient(clientSettings(emulator));
  const MessageBody = JSON.stringify({ time: new Date().toISOString() });
  for (const worker of scheduled) {
    const QueueUrl = outputs[workerOutputs(worker).queueUrl];
    await queues.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    const counts = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const isDone = async (): Promise<boolean> => {
      const request = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...counts] });
      const { Attributes = {} } = await queues.send(request);
      return counts.every((name) => Attributes[name] === '0');
    };
    await eventually(`${worker.id} is done`, isDone);
  }
};

/** Tells `mail-feedback` of a bounce, as SES would by its topic: the stages of the rehearsal send no mails. */
const reportBounce = async ({ emulator }: Place, { outputs }: DeployedStack): Promise<void> => {
  const bouncedRecipients = [{ emailAddress: 'bounce@example.com' }];
  const MessageBody = JSON.stringify({ eventType: 'Bounce', bounce: { bounceType: 'Permanent', bouncedRecipients } });
  const queues = new SQSClient(clientSettings(emulator));
  await queues.send(new SendMessageCommand({ QueueUrl: outputs.MailFeedbackQueueUrl, MessageBody }));
};

/** Gives every worker work in a program that has a sale, and waits until it is done. */
export const useEveryWorker = async (place: Place, stack: DeployedStack, apiKey: string): Promise<void> => {
  const client = clientOf(stack, apiKey);
  const [sale] = await client.sales.list({}).toArray({ max: 1 });
  const autoCouponRule = { enabled: true, codeStructure: { firstName: true, randomChars: true } };
  await failAndRetry(client, () => client.coupons.create({ name: 'Automatic', percentOff: 10, autoCouponRule }));
  await payAndRelease(client, sale?.id ?? 0);
  await payInCoupons(client);
  await deleteWithAll(place, stack, client);
  await importHistory(importerOf(place, stack, (await client.program.get()).id), client);
  await exportAndErase(client);
  const automatic = await client.affiliates.create({ firstName: 'Dora', email: 'dora@example.com' });
  const codes = () => client.promotionalCodes.list({ affiliateId: automatic.id }).toArray({ max: 1 });
  await eventually('an affiliate gets an automatic code', async () => (await codes()).length === 1);
  const { id } = await client.erasures.create({ email: 'dora@example.com' });
  await eventually('an affiliate is erased', async () => (await client.erasures.get(id)).status === 'DONE');
  await reportBounce(place, stack);
  await runSchedules(place, stack);
};

/** What the rehearsal does not bring about. The tests of the local stack use each of them. */
const needsLeftOut: readonly string[] = [
  // Subscriptions of platforms, and an endpoint that misses events without a delivery.
  ...['WEBHOOK:delete', 'TOMBSTONE:create'].map((need) => `deliver-webhook ${need}`),
  ...['EVENT:list', 'DELIVERY:create', 'DELIVERY:change'].map((need) => `retry-deliveries ${need}`),
  // Races, sales of a link, and more than fits one message.
  ...['LINK:check', 'code-connections:send'].map((need) => `connect-promotional-code ${need}`),
  'update-totals LINK:change',
  // The programs of the rehearsal are on BUSINESS, whose records are not counted.
  'create-automatic-codes records:count',
  'create-automatic-codes automatic-codes:send',
  'prepare-payout-batch ADJUSTMENT:delete',
  // A file with links or so many rows that it takes several steps, and a program on the FREE plan.
  ...['LINK:change', 'records:count', 'imports:send'].map((need) => `run-import ${need}`),
  // An attempt that fails, and payouts of an affiliate who was deleted since.
  ...['exports:send', 'TOMBSTONE:read'].map((need) => `export-program ${need}`),
  // A coupon that is deleted while it pays, a sale with a click, and the second look for affiliates of a deleted group.
  'prepare-payout-batch TOMBSTONE:read',
  'update-totals STATISTIC:read',
  'finish-deletion GROUP:change',
  // A deleted program with records of every kind, and sales that stay without their referral.
  ...['REFERRAL', 'ADJUSTMENT', 'PAYOUT_BATCH', 'PAYOUT', 'WEBHOOK', 'MEMBER', 'TOMBSTONE'].map(
    (kind) => `finish-deletion ${kind}:delete`,
  ),
  ...['REFERRAL:read', 'REFERRAL:change', 'SALE:change', 'ADJUSTMENT:read', 'ADJUSTMENT:create', 'AFFILIATE:read'].map(
    (need) => `finish-deletion ${need}`,
  ),
];

/** Of the person who is erased there is an affiliate with a code, and no customer. */
const erasuresLeftOut = workers
  .filter(({ id }) => id === 'erase-person')
  .flatMap(({ id, needs }) => needs.map((need) => `${id} ${need}`))
  .filter((name) => !/:list|click-ids|ERASURE:(read|change)|AFFILIATE:/.test(name));

/** No stage of the rehearsal has `mailFrom`: the emulator would have to know SES. So no portal there sends links, or opens its form. */
const mailsLeftOut = workers
  .filter(({ id }) => id === 'send-mail' || id === 'handle-portal-request')
  .flatMap(({ id, needs }) => needs.map((need) => `${id} ${need}`));

/** The permissions that the contract gives workers, without those above, and that none of their calls used. */
const unusedNeeds = (used: readonly UsedPermission[]): string[] => {
  const ids: readonly string[] = workers.map(({ id }) => id);
  const needs = grantingNeeds().filter(({ owner }) => ids.includes(owner));
  // CloudFormation gives tables names with a suffix, which the local stack does not.
  const nameOf = (resource: string): string => resource.replace(/(-(?:Records|Traffic)[0-9A-F]{8})-[0-9A-F]+/, '$1');
  const uses = usesOf(
    needs,
    used.map((one) => ({ ...one, resource: nameOf(one.resource) })),
  );
  // A scheduled worker finds nothing to mend here, and has only to have run.
  const idle = scheduled.filter(({ id }) => needs.every(({ owner }, at) => owner !== id || uses[at] === 0));
  const unused = needs
    .filter(({ owner }, at) => uses[at] === 0 && !scheduled.some(({ id }) => id === owner))
    .map(nameOfNeed)
    .filter((name) => ![...needsLeftOut, ...erasuresLeftOut, ...mailsLeftOut].includes(name));
  return [...unused, ...idle.map(({ id }) => id)];
};

/** Throws unless every worker has used what the contract gives it. A new worker or need fails here until it gets work. */
export const checkEveryWorker = ({ iamCheck }: Place): Promise<void> =>
  eventually(
    () => `every worker uses what it may do, but: ${unusedNeeds(iamCheck.used()).join(', ')}`,
    async () => unusedNeeds(iamCheck.used()).length === 0,
  );
