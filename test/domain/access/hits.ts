import { type AccessVerdict, checkAccess } from '../../../shared/domain/access/check-access.ts';

export const start = Date.UTC(2030, 0, 1, 12);
export const minute = 60_000;
export const endpoint = 'GET /api/v1/affiliates';
export const limitPerMinute = 10;

export const hit = (tokenHash: string, at: number, more: Partial<Parameters<typeof checkAccess>[0]> = {}) =>
  checkAccess({ tokenHash, sourceIp: '192.0.2.1', endpoint, limitPerMinute, now: new Date(at), ...more });

export const hits = (count: number, ...given: Parameters<typeof hit>) =>
  Promise.all(Array.from({ length: count }, () => hit(...given)));

export const passed = (verdicts: readonly AccessVerdict[]) => verdicts.filter(({ kind }) => kind !== 'limited').length;
