import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { request } from '../support/program.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

it('GET /health says version and stage, without a key, and may not be cached', async () => {
  const { status, body, headers } = await request('GET', '/health');
  expect({ status, body }).toEqual({ status: 200, body: { status: 'ok', version, stage: 'local' } });
  expect(headers.get('cache-control')).toBe('no-store');
});
