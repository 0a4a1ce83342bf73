import { readFileSync, writeFileSync } from 'node:fs';
import type { BackgroundFigures } from './figures/background.ts';
import type { BundleFigures } from './figures/bundles.ts';
import type { ClickFigures } from './figures/clicks.ts';
import type { OperationFigures } from './figures/operations.ts';
import { assumptions, costOfMillionClicks, costOfMonth, mix, prices, unitsOfCall } from './figures/prices.ts';
import type { ProgramFigures } from './figures/programs.ts';
import type { SizeFigures } from './figures/sizes.ts';
import type { StackFigures } from './figures/stack.ts';
import type { StartFigures } from './figures/starts.ts';

/** What was measured so far, each part by its name. */
export interface Figures {
  operations?: OperationFigures[];
  background?: BackgroundFigures[];
  clicks?: ClickFigures;
  bundles?: BundleFigures[];
  starts?: StartFigures[];
  sizes?: SizeFigures[];
  stack?: StackFigures;
  programs?: ProgramFigures[];
}

type Cell = string | number;

const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string => {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, at) => Math.max(3, ...cells.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
};

const section = (title: string, method: string, content: string): string => `## ${title}\n\n${method}\n\n${content}\n`;

const dollarsPerMillion = ({ readUnits, writeUnits }: { readUnits: number; writeUnits: number }): string =>
  (1e6 * (readUnits * prices.readUnits + writeUnits * prices.writeUnits)).toFixed(2);

const unitHead = ['Round trips', 'Calls', 'Read units', 'Write units', '$ per million'];

const operationSection = (figures: readonly OperationFigures[]): string =>
  section(
    'Operations',
    'The function behind each operation runs in one process with the embedded database, and knows the key from requests before.\n' +
      'Round trips are counted by holding back all responses until no further call begins. As a check, each request is sent\n' +
      'again with 100 ms added to every call: the second figure is its time in units of 100 ms. Units are what the tables report\n' +
      '(`ConsumedCapacity`); the check of the key is one write unit of each. Dollars are those of the units. `npm test` fails\n' +
      'for an operation that takes more than `test/operations` allows.',
    table(
      ['Operation', 'Request', 'Round trips', 'With 100 ms', ...unitHead.slice(1)],
      figures.map((one) => [
        `\`${one.operation}\``,
        one.request,
        one.roundTrips,
        one.delayedRoundTrips,
        one.calls,
        one.readUnits,
        one.writeUnits,
        dollarsPerMillion(one),
      ]),
    ),
  );

const backgroundSection = (figures: readonly BackgroundFigures[]): string =>
  section(
    'Work in the background',
    'Counted in the same way, for a program with one endpoint and one change in a batch. In a batch of many changes of one\n' +
      'program the reads of the program and its endpoints are shared.',
    table(
      ['Work', ...unitHead],
      figures.map(({ work, calls: { roundTrips, calls, readUnits, writeUnits } }) => [
        work,
        roundTrips,
        calls,
        readUnits,
        writeUnits,
        dollarsPerMillion({ readUnits, writeUnits }),
      ]),
    ),
  );

const clickSection = (figures: ClickFigures): string => {
  const { redirect, counting } = figures;
  const costs = counting.map((one) => costOfMillionClicks(figures, one));
  const total = (cost: (typeof costs)[number]) => cost.reduce((sum, { dollars }) => sum + dollars, 0);
  const batches = counting.map(({ batch }) => `Batches of ${batch.toLocaleString('en')}`);
  return section(
    'A million clicks',
    `A redirect takes ${redirect.roundTrips} round trip and ${redirect.readUnits} read units, then sends a message to the worker that counts clicks in batches: the more of\n` +
      'them come, the larger a batch. Dollars are those of the cost of a month in [Operations](operations.md#cost-of-a-month), with\n' +
      'the same assumptions. A click that was counted within the hour, that of a bot, and one beyond the limit of its address consume no\n' +
      'write unit. Computed, not billed.',
    table(
      ['For a million clicks', ...batches],
      [
        ['Write units', ...counting.map(({ writeUnits }) => (writeUnits * 1e6).toLocaleString('en'))],
        [
          'Read units, with the redirects',
          ...counting.map(({ readUnits }) => ((redirect.readUnits + readUnits) * 1e6).toLocaleString('en')),
        ],
        ...(costs[0] ?? []).map(({ what }, at) => [
          `${what}, $`,
          ...costs.map((cost) => (cost[at]?.dollars ?? 0).toFixed(2)),
        ]),
        ['Total, $', ...costs.map((cost) => total(cost).toFixed(2))],
      ],
    ),
  );
};

const kilobytes = (bytes: number): string => (bytes / 1024).toFixed(0);

const bundleSection = (figures: readonly BundleFigures[]): string =>
  section(
    'Bundles',
    'KB of each function as it is deployed, minified and not compressed, and its largest parts, as esbuild reports them. What\n' +
      'few requests need (`any-ascii`, `jose`) lies beside some of them as a file of its own, which an import does not load.',
    table(
      ['Function', 'KB', 'Largest parts'],
      figures.map(({ name, bytes, parts }) => [
        `\`${name}\``,
        kilobytes(bytes),
        parts.map(([part, size]) => `${part} ${kilobytes(size)}`).join(', '),
      ]),
    ),
  );

const startSection = (figures: readonly StartFigures[]): string =>
  section(
    'Starts',
    'A process of its own for each start, 15 starts of each in turn; lower quartiles. `program` is `GET /program`: it checks the\n' +
      'key and reads one item. The others only read one item: `bare` calls the SDK alone, and `hono`, `express` and `fastify`\n' +
      'do it in one route, bundled as esbuild does it by default. `empty` does nothing. The table is a server on the same machine\n' +
      'which responds at once. Warm is the processor time of one of 1,500 further requests.',
    table(
      ['Function', 'KB', 'Import, ms', 'Import and first request, ms', 'Of Hono', 'Built-in modules', 'Warm, µs'],
      figures.map((one) => [
        `\`${one.name}\``,
        kilobytes(one.bytes),
        one.importMilliseconds,
        one.firstRequestMilliseconds,
        one.ofHono,
        one.modules,
        one.warmMicroseconds ?? '',
      ]),
    ),
  );

const sizeSection = (figures: readonly SizeFigures[]): string =>
  section(
    'Programs of every size',
    'All requests of the first table, in one program whose records (affiliates, codes, referrals and sales) grow in number. Each\n' +
      'round of requests leaves some more endpoints behind, which the lists of endpoints read: the only ones that differ.',
    table(
      ['Records', 'Requests', 'Read units', 'Write units', 'Requests that differ, with reads and writes'],
      figures.map((one) => [
        one.records.toLocaleString('en'),
        one.requests,
        one.readUnits,
        one.writeUnits,
        one.different.join('; ') || 'none',
      ]),
    ),
  );

const stackSection = ({ deliveryMilliseconds, requestsPerSecond, residentMegabytes }: StackFigures): string =>
  section(
    'The local stack',
    'Of one machine with two processors, which other work may have kept busy: compare them with each other only.',
    table(
      ['What', 'Figure'],
      [
        ['Commit to delivery, median', `${deliveryMilliseconds.median} ms`],
        ['Commit to delivery, 95th percentile', `${deliveryMilliseconds.p95} ms`],
        ['`GET /coupons/{id}`, ten clients', `${requestsPerSecond.read} a second`],
        ['`POST /coupons`, ten clients, with events', `${requestsPerSecond.write} a second`],
        ['Memory of the process after that, with the memory of Lambda for each function', `${residentMegabytes} MB`],
      ],
    ),
  );

const programSection = (figures: readonly ProgramFigures[]): string =>
  section(
    'Fairness, kills and throughput',
    'Programs of their own, which say whether what they are about holds.',
    figures
      .map(
        ({ command, holds, output }) =>
          `\`${command}\` (${holds ? 'holds' : 'FAILED'})\n\n\`\`\`text\n${output}\n\`\`\``,
      )
      .join('\n\n'),
  );

const costHeading = '### Cost of a month\n';

const monthlyCalls = [1e6, 10e6, 100e6];

const costSection = (operations: readonly OperationFigures[], background: readonly BackgroundFigures[]): string => {
  const units = unitsOfCall(operations, background);
  const months = monthlyCalls.map((calls) => costOfMonth(units, calls));
  const dollars = (value: number) => value.toFixed(2);
  const total = (month: (typeof months)[number]) => month.reduce((sum, one) => sum + one.dollars, 0);
  const { millisecondsOfRoundTrip, ownMilliseconds, changesInBatch, millisecondsOfReceiver } = assumptions;
  const shares = mix.map(({ operation, share }) => `${share * 100} % \`${operation}\``).join(', ');
  return [
    costHeading,
    'Dollars a month, made by `npm run bench` from the counted units and the list prices of us-east-1 in',
    '`test/bench/figures/prices.ts`, without free tiers. Computed, not billed.\n',
    table(
      ['What', '1 million calls', '10 million calls', '100 million calls'],
      [
        ...(months[0] ?? []).map(({ what }, at) => [what, ...months.map((month) => dollars(month[at]?.dollars ?? 0))]),
        ['Total', ...months.map((month) => dollars(total(month)))],
      ],
    ),
    `\nThe calls are ${shares}. Every sale makes two events, of`,
    'itself and of the redemption, two webhooks, and its totals. With all of it, a call of this mix consumes',
    `${units.writeUnits.toFixed(1)} write units and ${units.readUnits.toFixed(1)} read units. Assumed are ${millisecondsOfRoundTrip} ms for a round trip and ${ownMilliseconds} ms of own time,`,
    `1 GB of memory, workers that handle ${changesInBatch} changes at a time, and receivers that respond within ${millisecondsOfReceiver} ms. X-Ray is off:`,
    'it would add $5 per million calls. What each request costs is in [Benchmarks](benchmarks.md).\n',
  ].join('\n');
};

const titleOf = (part: string): string => part.slice(0, part.indexOf('\n'));

/** Writes docs/benchmarks.md, where sections without new figures stay, and the cost of a month into docs/operations.md. */
export const writePages = (figures: Figures): void => {
  const { operations, background, clicks, sizes, bundles, starts, stack, programs } = figures;
  const measured = [
    operations && operationSection(operations),
    background && backgroundSection(background),
    clicks && clickSection(clicks),
    sizes && sizeSection(sizes),
    bundles && bundleSection(bundles),
    starts && startSection(starts),
    stack && stackSection(stack),
    programs && programSection(programs),
  ].filter((part) => part !== undefined);
  const [head = '', ...sections] = readFileSync('docs/benchmarks.md', 'utf8').split(/^(?=## )/m);
  for (const part of measured) {
    const at = sections.findIndex((one) => titleOf(one) === titleOf(part));
    if (at < 0) sections.push(`\n${part}`);
    else sections[at] = at < sections.length - 1 ? `${part}\n` : part;
  }
  writeFileSync('docs/benchmarks.md', [head, ...sections].join(''));
  if (!operations || !background) return;
  const page = readFileSync('docs/operations.md', 'utf8');
  const parts = page.split(/^(?=###? )/m).filter((part) => !part.startsWith(costHeading));
  const withCost = parts.map((part) =>
    part.startsWith('## Cost\n') ? `${part}${costSection(operations, background)}\n` : part,
  );
  writeFileSync('docs/operations.md', withCost.join(''));
};
