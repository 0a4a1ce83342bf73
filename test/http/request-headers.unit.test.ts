import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type PublicOperation, readThing, type Sent, servedPath } from './served-path.ts';

beforeEach(() => {
  for (const output of ['log', 'error'] as const) vi.spyOn(console, output).mockImplementation(() => {});
});

describe('Accept', () => {
  it.each<{ what: string; csv: boolean | undefined; accept: string; wants: boolean }>([
    { what: 'of an operation with CSV', csv: true, accept: 'text/csv', wants: true },
    { what: 'for JSON', csv: true, accept: 'application/json', wants: false },
    { what: 'of another operation', csv: undefined, accept: 'text/csv', wants: false },
  ])('$what asks for CSV: $wants', async ({ csv, accept, wants }) => {
    const operation: PublicOperation = { ...readThing, ...(csv && { csv }) };
    const sent: Sent = { headers: { accept } };
    expect((await servedPath([operation])(sent)).given?.wantsCsv).toBe(wants);
  });
});

describe('If-Match', () => {
  it.each<{ sent: string | undefined; versions: number[] | undefined }>([
    { sent: undefined, versions: undefined },
    { sent: '*', versions: undefined },
    { sent: ' * ', versions: undefined },
    { sent: '"3"', versions: [3] },
    { sent: '  "3"  ', versions: [3] },
    { sent: '"3","12"', versions: [3, 12] },
    { sent: '"3"  ,  "12" , "7"', versions: [3, 12, 7] },
    { sent: 'W/"3"', versions: [] },
    { sent: 'W/"3", "4"', versions: [4] },
    { sent: '"4",W/"3"', versions: [4] },
    { sent: '""', versions: [] },
    { sent: '"abc"', versions: [] },
    { sent: '"3a"', versions: [] },
    { sent: '"a3"', versions: [] },
    { sent: '"123456789012345"', versions: [123456789012345] },
    { sent: '"1234567890123456"', versions: [] },
    { sent: '"a,b", "3"', versions: [3] },
    { sent: '"W/", "3"', versions: [3] },
    { sent: '3', versions: [] },
    { sent: '', versions: [] },
    { sent: 'x"3"', versions: [] },
    { sent: '"3"x', versions: [] },
    { sent: '"3" "4"', versions: [] },
    { sent: '"3",', versions: [] },
    { sent: '"3', versions: [] },
  ])('$sent expects $versions', async ({ sent, versions }) => {
    const { given } = await servedPath([readThing])({ headers: sent === undefined ? {} : { 'if-match': sent } });
    expect(given).toBeDefined();
    expect(given?.expectedVersions).toEqual(versions);
  });
});
