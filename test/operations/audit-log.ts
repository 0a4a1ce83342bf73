import { randomUUID } from 'node:crypto';
import type { auditOperations } from '../../shared/contract/audit-log.ts';
import { auditEntries } from '../../shared/domain/audit/audit-log.ts';
import { writeAlone } from '../../shared/platform/table/write-alone.ts';
import { makeStoredAuditEntry } from '../support/audit-entries.ts';
import { byId } from './measured-records.ts';
import { cursorOf, type MakeRequest, type SamplesOf } from './sample.ts';

/** Workers of the stream make them, which do not run where operations are measured. */
const storedEntries = async (programId: string) => {
  const [recordId, actor] = [randomUUID(), randomUUID()];
  for (const _ of [1, 2]) {
    const entry = makeStoredAuditEntry({ recordId, by: `K:${actor}` });
    await writeAlone(auditEntries.createWrites(programId, entry));
  }
  return { recordId, actor };
};

const listed =
  (filters: readonly ('recordId' | 'actor')[], others: Record<string, string> = {}): MakeRequest =>
  async ({ programId }) => {
    const stored = await storedEntries(programId);
    return { query: { ...Object.fromEntries(filters.map((name) => [name, stored[name]])), ...others, limit: '1' } };
  };

export const auditSamples = {
  listAuditLog: {
    playedAfter: 'readEvent',
    request: () => ({}),
    foreign: {
      id: ({ auditEntry }) => [auditEntry.id],
      recordId: ({ auditEntry }) => [auditEntry.recordId],
      actor: ({ auditEntry }) => [auditEntry.actor.id],
      cursor: async (world) => [await cursorOf(world, '/audit-log')],
    },
    measured: {
      unfiltered: { request: listed([]), cost: [1, 1, 1] },
      'by record': { request: listed(['recordId']), cost: [2, 2.5, 1] },
      'by actor': { request: listed(['actor']), cost: [2, 2.5, 1] },
      'by type': { request: listed([], { recordType: 'SALE' }), cost: [2, 2.5, 1] },
    },
  },
  readAuditEntry: {
    playedAfter: 'listAuditLog',
    request: ({ auditEntry }) => ({ parameters: { id: auditEntry.id } }),
    foreign: { id: ({ auditEntry }) => [auditEntry.id] },
    measured: {
      'by id': {
        request: async ({ programId }) => {
          const entry = makeStoredAuditEntry({});
          await writeAlone(auditEntries.createWrites(programId, entry));
          return byId(entry);
        },
        cost: [1, 1, 1],
      },
    },
  },
} satisfies SamplesOf<typeof auditOperations>;
