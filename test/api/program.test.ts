import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { apiWith, makeProgram } from '../support/program.ts';

describe('GET /program', () => {
  it('returns the program of the key, and no more of it than is documented', async () => {
    const { programId, apiKey } = await createProgram(
      {
        name: 'Nordwind Kaffee',
        ownerEmail: `owner-${randomUUID()}@example.com`,
        currency: 'EUR',
        commissionRate: 12.5,
        baseUrls: ['https://nordwind.example'],
      },
      new Date('2026-03-01T12:00:00.250Z'),
    );
    const { status, body, headers } = await apiWith(apiKey).get('/program');
    expect(status).toBe(200);
    expect(headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect(body).toEqual({
      id: programId,
      name: 'Nordwind Kaffee',
      currency: 'EUR',
      commissionRate: 12.5,
      baseUrls: ['https://nordwind.example'],
      timeZone: 'UTC',
      handle: 'nordwind-kaffee',
      attribution: 'LAST_CLICK',
      attributionDays: 60,
      reviewRules: {
        selfReferral: 'BLOCK',
        sameDomain: 'OFF',
        burst: { mode: 'OFF', sales: 10 },
        refundRate: { mode: 'OFF', percent: 30 },
      },
      createdAt: '2026-03-01T12:00:00.250Z',
      updatedAt: '2026-03-01T12:00:00.250Z',
    });
  });

  it('has the defaults of a new program', async () => {
    const { body } = await (await makeProgram()).get('/program');
    expect(body).toMatchObject({ currency: 'USD', commissionRate: 20, baseUrls: [] });
  });

  it('takes no parameters', async () => {
    const { status, body } = await (await makeProgram()).get('/program?id=1');
    expect(status).toBe(400);
    expect(body.error).toBe('id is not a known query parameter');
  });
});
