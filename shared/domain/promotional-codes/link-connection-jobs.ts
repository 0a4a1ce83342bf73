import type { Change } from '../../platform/table/change.ts';

/** Work for the queue `code-connections`. docs/behavior.md#codes-on-links */
export type ConnectionJob =
  | { programId: string; codeId: string }
  | { programId: string; linkId: string }
  | { programId: string; affiliateId: string; linkId?: string }
  | { programId: string; codeId: string; affiliateId: string; deleted: true }
  | { programId: string; linkId: string; affiliateId: string; deleted: true };

/** See docs/behavior.md#following-a-link */
const creditJobsOf = ({ programId, kind, recordId, before, after }: Change): ConnectionJob[] => {
  if (!before) return [];
  if (kind === 'AFFILIATE' && before.status !== after?.status) return [{ programId, affiliateId: recordId }];
  const isRenamed = kind === 'LINK' && after && String(before.link).toLowerCase() !== String(after.link).toLowerCase();
  return isRenamed ? [{ programId, affiliateId: String(after.affiliateId), linkId: recordId }] : [];
};

const codeJobsOf = ({ programId, kind, recordId, before, after }: Change): ConnectionJob[] => {
  if (kind === 'LINK') {
    if (!before) return [{ programId, linkId: recordId }];
    const { affiliateId } = before;
    return after || typeof affiliateId !== 'string'
      ? []
      : [{ programId, linkId: recordId, affiliateId, deleted: true }];
  }
  if (kind !== 'PROMOTIONAL_CODE') return [];
  const was = before?.affiliateId ?? null;
  if (!after) return typeof was === 'string' ? [{ programId, codeId: recordId, affiliateId: was, deleted: true }] : [];
  const is = after.affiliateId ?? null;
  return is !== null && (is !== was || after.code !== before?.code) ? [{ programId, codeId: recordId }] : [];
};

export const connectionJobsOf = (change: Change): ConnectionJob[] => [...creditJobsOf(change), ...codeJobsOf(change)];
