import { randomUUID } from 'node:crypto';
import { createAffiliate as createAffiliateOperation } from '../../../shared/contract/affiliates.ts';
import { createAffiliate } from '../../../shared/domain/affiliates/create-affiliate.ts';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { getProgram } from '../../../shared/domain/programs/repository.ts';
import { updateProgram } from '../../../shared/domain/programs/update-program.ts';
import type { ClickMessage } from '../../../shared/domain/tracking/click-message.ts';
import { countClicks } from '../../../shared/domain/tracking/count-clicks.ts';
import { findTarget } from '../../../shared/domain/tracking/find-target.ts';
import { connections } from '../../../shared/platform/clients/signed-call.ts';
import { type Cost, costOf } from '../../support/capacity.ts';
import { bodyOf } from '../../support/domain.ts';
import { useDatabase } from './database.ts';

/** What a redirect and the counting of its click consume. */
export interface ClickFigures {
  /** Of one redirect of a handle that the function has seen before. */
  redirect: { roundTrips: number; readUnits: number };
  /** Of each size of a batch, for one click of it. */
  counting: { batch: number; readUnits: number; writeUnits: number }[];
}

/** An item of at most 4 KB, eventually consistent. */
const readUnitsOfItem = 0.5;

/** The redirect's calls, which do not go through the client of the SDK. */
const recordReads = async (act: () => Promise<unknown>): Promise<ClickFigures['redirect']> => {
  const reads = { roundTrips: 0, readUnits: 0 };
  const handle = connections.handle.bind(connections);
  connections.handle = (request, options) => {
    reads.roundTrips += 1;
    for (const { Keys } of Object.values<{ Keys: object[] }>(JSON.parse(request.body).RequestItems))
      reads.readUnits += Keys.length * readUnitsOfItem;
    return handle(request, options);
  };
  try {
    await act();
  } finally {
    connections.handle = handle;
  }
  return reads;
};

const perClick = (batch: number, { readUnits, writeUnits }: Cost) => ({
  batch,
  readUnits: Number((readUnits / batch).toFixed(2)),
  writeUnits: Number((writeUnits / batch).toFixed(2)),
});

export const measureClicks = async (): Promise<ClickFigures> => {
  await useDatabase();
  const now = new Date();
  const { programId } = await createProgram({ name: 'Clicks', ownerEmail: `${randomUUID()}@example.com` }, now);
  const program = await getProgram(programId);
  const handle = `clicks-${randomUUID().slice(0, 8)}`;
  await updateProgram(programId, { ...program, handle, baseUrls: ['https://shop.example/'] }, now);
  const body = bodyOf(createAffiliateOperation, { firstName: 'Amara', email: 'a@example.com', affiliateLink: 'amara' });
  const affiliate = await createAffiliate(programId, body, now);
  const [linkId = ''] = Object.keys(affiliate.links);
  if (!(await findTarget(handle, 'amara'))?.link) throw new Error('The link leads nowhere');
  const redirect = await recordReads(() => findTarget(handle, 'amara'));
  const click = (): ClickMessage => ({
    programId,
    linkId,
    affiliateId: affiliate.id,
    visitor: randomUUID(),
    at: now.toISOString(),
    referrer: null,
  });
  const counting: ClickFigures['counting'] = [];
  let clicks = 0;
  for (const batch of [1, 10, 100, 1000]) {
    const messages = Array.from({ length: batch }, click);
    counting.push(perClick(batch, await costOf(() => countClicks(programId, messages, now))));
    clicks += batch;
  }
  const found = await links.get(programId, linkId);
  if (found?.clicks !== clicks) throw new Error(`${found?.clicks} of ${clicks} clicks were counted`);
  return { redirect, counting };
};
