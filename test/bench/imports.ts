import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { temporaryFolder } from '../../infra/local/data/data-folder.ts';
import type { ImportKind } from '../../shared/contract/imports.ts';
import { isWorking, type StoredImport } from '../../shared/domain/imports/import-record.ts';
import { openBackDoor } from '../local/back-door.ts';
import { callApi, endStack, runAdmin, type StartedStack, startStack } from '../local/started-stack.ts';

// Run by hand, for about 25 minutes: `node test/bench/imports.ts [sales] [kills]`. Imports affiliates, coupons, codes and sales
// with refunds and payouts, kills the stack while sales are written, and imports everything a second time. Exit code 1 where a sum
// differs by a minor unit, anything is there twice, an event was made, another program waits more than 1.3 times as long at its
// 95th percentile, or the first import takes more than ten minutes.

const [saleCount = 50_000, kills = 3] = process.argv.slice(2).map(Number);
const affiliateCount = saleCount / 5;
const codeCount = saleCount / 10;
const couponCount = 50;
const customerCount = saleCount / 4;
const maxSeconds = 600;
const maxTimesAsLong = 1.3;

process.env.RATE_LIMIT_READS = '1000000';
process.env.RATE_LIMIT_WRITES = '1000000';

type Rows = readonly Readonly<Record<string, string | number>>[];
const many = <Row>(count: number, row: (at: number) => Row): Row[] => Array.from({ length: count }, (_, at) => row(at));
const day = (at: number, month: number): string =>
  `2025-${String(month).padStart(2, '0')}-${String(1 + (at % 28)).padStart(2, '0')}`;

const affiliates: Rows = many(affiliateCount, (at) => ({
  email: `affiliate${at}@example.com`,
  firstName: `First${at}`,
  lastName: `Last${at}`,
  createdAt: day(at, 1),
}));
const coupons: Rows = many(couponCount, (at) => ({ name: `Coupon ${at}`, percentOff: 10, externalId: `coupon-${at}` }));
const codes: Rows = many(codeCount, (at) => ({
  code: `CODE-${at}`,
  couponExternalId: `coupon-${at % couponCount}`,
  affiliateEmail: `affiliate${at % affiliateCount}@example.com`,
}));
/** In minor units: an eighth is refunded in part, half is paid. */
const soldMinor = (at: number): number => 1000 + (at % 9000);
const refundedMinor = (at: number): number => (at % 8 === 0 ? 500 : 0);
const isPaid = (at: number): boolean => at % 2 === 0;
const commissionMinor = (at: number): number => Math.round((soldMinor(at) - refundedMinor(at)) * 0.2);
const amount = (minor: number): string => (minor / 100).toFixed(2);
const sales: Rows = many(saleCount, (at) => ({
  externalId: at % 3 === 0 ? `sale-${at}` : '',
  totalEarned: amount(soldMinor(at)),
  affiliateEmail: `affiliate${at % affiliateCount}@example.com`,
  email: `customer${at % customerCount}@example.net`,
  name: `Customer ${at % customerCount}`,
  createdAt: `${day(at, 2 + (at % 6))}T10:${String(at % 60).padStart(2, '0')}:${String(Math.floor(at / 60) % 60).padStart(2, '0')}Z`,
  refundedAmount: refundedMinor(at) > 0 ? amount(refundedMinor(at)) : '',
  paidAt: isPaid(at) ? day(at, 9) : '',
}));
const files = { affiliates, coupons, codes, sales } satisfies Partial<Record<ImportKind, Rows>>;
type FileKind = keyof typeof files;
const kinds: readonly FileKind[] = ['affiliates', 'coupons', 'codes', 'sales'];

// In memory, as in tests: on a disk, all calls wait whenever the embedded database writes its log back, which DynamoDB does not do.
const dataFolder = mkdtempSync(join(temporaryFolder(), 'imports-'));
const fileOf = (kind: FileKind): string => join(dataFolder, `${kind}.csv`);

let running: Promise<StartedStack> = startStack(dataFolder);
for (const kind of kinds) writeFileSync(fileOf(kind), stringify([...files[kind]], { header: true }));
const { programId, apiKey } = await running;
const mebibytesOf = (process: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1]) / 1024;

const admin = (...command: string[]) => runAdmin(dataFolder, ...command);
const other = JSON.parse(
  (await admin('program', 'create', '--name', 'Another', '--owner-email', 'other@example.com')).output,
);
const call = async (method: string, path: string, key = apiKey, body?: unknown) =>
  callApi({ baseUrl: (await running).baseUrl, apiKey: key }, method, path, body);

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((one, another) => one - another)[Math.floor(values.length * part)] ?? 0;

/** How long another program waits, for writes and reads alike. What a kill cuts off is left out. */
let isProbing = true;
const probe = async (times: number[]): Promise<void> => {
  while (isProbing) {
    const start = performance.now();
    const response = await (times.length % 2 === 0
      ? call('POST', '/coupons', other.apiKey, { name: `Probe ${times.length}`, percentOff: 5 })
      : call('GET', '/coupons', other.apiKey)
    ).catch(() => undefined);
    if (response?.status === 200) times.push(performance.now() - start);
    await sleep(150);
  }
};
const probed = async <Result>(act: () => Promise<Result>): Promise<{ result: Result; times: number[] }> => {
  const times: number[] = [];
  isProbing = true;
  const probing = probe(times);
  const result = await act();
  isProbing = false;
  await probing;
  return { result, times };
};

const backDoors = new Map<StartedStack, ReturnType<typeof openBackDoor>>();
/** While the stack is down, nothing is known of the import. */
const newestImport = async (): Promise<StoredImport | undefined> => {
  const stack = await running;
  const backDoor = backDoors.get(stack) ?? openBackDoor(dataFolder, programId);
  backDoors.set(stack, backDoor);
  return backDoor.then((door) => door.newestImport()).catch(() => undefined);
};

interface Imported {
  created: number;
  unchanged: number;
  refused: number;
}

/** An import that was begun goes on by itself, however often the stack dies. */
const importOnce = async (kind: FileKind): Promise<Imported> => {
  for (;;) {
    const stack = await running;
    const { exitCode, output, problems } = await admin(
      'import',
      '--program',
      programId,
      '--kind',
      kind,
      '--file',
      fileOf(kind),
    );
    if (exitCode === 0) {
      const { created, unchanged, refused } = JSON.parse(output);
      return { created, unchanged, refused: refused.length };
    }
    if (stack === (await running)) throw new Error(problems);
    let newest = await newestImport();
    for (; !newest || isWorking(newest.status); newest = await newestImport()) await sleep(500);
    const { created = 0, unchanged = 0, refused = 0 } = newest.done;
    if (newest.status === 'DONE') return { created, unchanged, refused };
  }
};

const killWhileRunning = async (): Promise<void> => {
  for (let kill = 1; kill <= kills; kill++) {
    const rows = (saleCount * kill) / (kills + 1);
    const isWritten = async () => {
      const newest = await newestImport();
      return newest?.importKind === 'sales' && newest.status === 'RUNNING' && newest.position >= rows;
    };
    while (!(await isWritten())) await sleep(1000);
    running = endStack(await running, 'SIGKILL').then(() => startStack(dataFolder));
    console.log('killed after', rows, 'sales');
    await running;
  }
};

const listed = async (path: string): Promise<Record<string, never>[]> => {
  const all: Record<string, never>[] = [];
  let address = `${(await running).baseUrl}${path}`;
  while (address) {
    const response = await fetch(address, { headers: { authorization: `Bearer ${apiKey}` } });
    all.push(...((await response.json()) as Record<string, never>[]));
    address = /<(.+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? '';
  }
  return all;
};

const minor = (value: number): number => Math.round(value * 100);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const everySale = many(saleCount, (at) => at);
const expected = {
  affiliates: affiliateCount,
  codes: codeCount,
  sales: saleCount,
  sold: sum(everySale.map(soldMinor)),
  refunded: sum(everySale.map(refundedMinor)),
  commission: sum(everySale.map(commissionMinor)),
  'paid by batches': sum(everySale.filter(isPaid).map(commissionMinor)),
  'revenue of affiliates': sum(everySale.map((at) => soldMinor(at) - refundedMinor(at))),
  'commission of affiliates': sum(everySale.map(commissionMinor)),
  'revenue of days': sum(everySale.map((at) => soldMinor(at) - refundedMinor(at))),
  events: 0,
};

const stateOf = async (): Promise<typeof expected> => {
  const [allAffiliates, allCodes, allSales, batches, days] = [
    await listed('/affiliates?limit=100'),
    await listed('/promotional-codes?limit=100'),
    await listed('/sales?limit=100'),
    await listed('/payout-batches?limit=100'),
    (await call('GET', '/statistics?from=2025-01-01&to=2025-12-31&interval=month')).body as Record<string, never>[],
  ];
  const total = (records: readonly Record<string, never>[], field: string) =>
    minor(sum(records.map((one) => Number(one[field]))));
  return {
    affiliates: allAffiliates.length,
    codes: allCodes.length,
    sales: new Set(allSales.map(({ id }) => id)).size,
    sold: total(allSales, 'totalEarned'),
    refunded: total(allSales, 'refundedAmount'),
    commission: total(allSales, 'commissionEarned'),
    'paid by batches': total(batches, 'totalAmount'),
    'revenue of affiliates': total(allAffiliates, 'totalRevenue'),
    'commission of affiliates': total(allAffiliates, 'totalCommissionEarned'),
    'revenue of days': sum(days.map(({ revenue }) => minor(Number(revenue)))),
    events: ((await call('GET', '/events')).body as unknown[]).length,
  };
};
const isSame = (one: object, another: object): boolean => JSON.stringify(one) === JSON.stringify(another);

/** Totals follow within seconds. */
const settled = async (): Promise<typeof expected> => {
  for (let attempt = 0; ; attempt++) {
    const state = await stateOf();
    if (isSame(state, expected) || attempt === 5) return state;
    await sleep(5000);
  }
};

// Functions that have just started are slow.
await probed(() => sleep(15_000));
const { times: before } = await probed(() => sleep(30_000));
const memory: number[] = [];
const watching = setInterval(() => {
  running.then(({ pid: now }) => memory.push(mebibytesOf(now))).catch(() => undefined);
}, 5000);

const seconds: Record<string, number> = {};
const { times: beside } = await probed(async () => {
  for (const kind of kinds) {
    const start = performance.now();
    const [result] = await Promise.all([importOnce(kind), ...(kind === 'sales' ? [killWhileRunning()] : [])]);
    seconds[kind] = Math.round((performance.now() - start) / 1000);
    console.log(kind, seconds[kind], 's', result);
  }
});
const state = await settled();
// The machine may be slower or faster than ten minutes ago.
const { times: after } = await probed(() => sleep(30_000));
const alone = [...before, ...after];
clearInterval(watching);
console.table({ expected, 'after the first import': state });
const total = sum(Object.values(seconds));
const p95 = { alone: percentile(alone, 0.95), beside: percentile(beside, 0.95) };
console.table({
  'seconds of the first import': total,
  kills,
  'p95 of another program alone, ms': Number(p95.alone.toFixed(1)),
  'p95 of another program meanwhile, ms': Number(p95.beside.toFixed(1)),
  'times as long': Number((p95.beside / p95.alone).toFixed(2)),
  'memory of the stack, MiB, at the beginning': Math.round(memory[2] ?? 0),
  'memory of the stack, MiB, at most': Math.round(Math.max(...memory)),
  'memory of the stack, MiB, at the end': Math.round(memory.at(-1) ?? 0),
});
for (const kind of kinds) {
  console.log(`${kind} again`, await importOnce(kind));
}
const second = await settled();
console.table({ expected, 'after the second import': second });
await endStack(await running);
rmSync(dataFolder, { recursive: true, force: true });
const isRight = isSame(state, expected) && isSame(second, expected);
process.exit(isRight && total <= maxSeconds && p95.beside <= maxTimesAsLong * p95.alone ? 0 : 1);
