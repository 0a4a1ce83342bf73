import { randomUUID } from 'node:crypto';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { vi } from 'vitest';
import type { StoredLink } from '../../../shared/domain/affiliates/link-rules.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { getProgram, programs } from '../../../shared/domain/programs/repository.ts';
import { countableChangesOf, updateTotals } from '../../../shared/domain/totals/update-totals.ts';
import { createClickId } from '../../../shared/domain/tracking/click-id.ts';
import type { ClickMessage } from '../../../shared/domain/tracking/click-message.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { newProgram, now, storeAffiliate, storeLink } from '../../support/domain.ts';
import { watchRecords } from '../../support/watch-records.ts';

/** Runs an action whose transaction with that number, from 1, is written while its response is lost. */
export const killedAfter = async (writes: number, act: () => Promise<unknown>): Promise<void> => {
  const send = documents.send.bind(documents);
  let written = 0;
  const spy = vi.spyOn(documents, 'send').mockImplementation(((command: object) => {
    if (command instanceof TransactWriteCommand && ++written >= writes)
      return send(command).then(() => Promise.reject(new Error('killed')));
    return send(command as never);
  }) as never);
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Error && error.message === 'killed')) throw error;
  } finally {
    spy.mockRestore();
  }
};

/** A program with two affiliates, each with a link, and the worker that counts what happens to its records. */
export const countedProgram = async () => {
  const { programId } = await createProgram({ name: 'Counted', ownerEmail: `${randomUUID()}@example.com` }, now);
  const program = newProgram({ id: programId });
  const links: StoredLink[] = [];
  for (const link of ['one', 'two']) {
    const affiliate = await storeAffiliate(program);
    links.push(await storeLink(program, { affiliateId: affiliate.id, link }));
  }
  const changes = watchRecords(program);
  const stream: DynamoDBRecord[] = [];
  let position = 0;
  const hear = async () => stream.push(...(await changes()));
  const countFrom = async (start: number, end: number) =>
    updateTotals(await countableChangesOf(stream.slice(start, end)), now);
  return {
    program,
    links,
    hear,
    /** The next changes, with some that were counted before. A batch whose worker is killed comes again. */
    countBatch: async (size: number, again: number, killedAt?: number): Promise<void> => {
      const [start, end] = [Math.max(0, position - again), Math.min(stream.length, position + size)];
      if (killedAt !== undefined) return killedAfter(killedAt, () => countFrom(start, end));
      await countFrom(start, end);
      position = end;
    },
    countRest: async (): Promise<void> => {
      await hear();
      for (; position < stream.length; position += 50) await countFrom(position, position + 50);
      position = stream.length;
    },
    clickId: async (link: StoredLink, host: string | null, at: Date): Promise<string> =>
      createClickId(await getProgram(programId), link.id, at, host),
    click: (link: StoredLink, visitor: string, host: string | null, at: Date): ClickMessage => ({
      programId,
      linkId: link.id,
      affiliateId: link.affiliateId,
      visitor,
      at: at.toISOString(),
      referrer: host,
    }),
    moveTo: async (timeZone: string): Promise<void> => {
      const stored = await getProgram(programId);
      await writeTogether(programs.updateWrites(programId, stored, { ...stored, timeZone }));
      program.timeZone = timeZone;
    },
  };
};

export type CountedProgram = Awaited<ReturnType<typeof countedProgram>>;
