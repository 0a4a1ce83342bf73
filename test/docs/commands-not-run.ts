/** A command of the guides that a test cannot run as it stands. */
export interface CommandNotRun {
  /** How its line begins. */
  readonly command: string;
  readonly reason: string;
  /** What is run in its place: the same command line, stopped before it does anything. */
  readonly instead?: string;
}

// `refused TEXT COMMAND...` runs a command that must fail and say the text.
const noStack = 'refused "is not running" npm run -s admin -- --data nowhere';
const installs = 'npm ci would replace the packages that the running tests use';
const needsAws = 'it needs an AWS account';
const onWholeStack = 'it works on the whole stack, which other tests use; test/local runs it on a stack of its own';
const takesMinutes = 'it takes minutes';
const runsTests = 'it would run these tests again';

export const commandsNotRun: readonly CommandNotRun[] = [
  { command: 'npm ci && npm start', reason: installs, instead: 'npm start -- --help' },
  { command: 'npm ci && npm test', reason: `${installs}, and ${runsTests}`, instead: 'npm test -- --help' },
  { command: 'npm ci', reason: installs },
  { command: 'npm test', reason: runsTests, instead: 'npm test -- --help' },
  { command: 'npm run check', reason: runsTests },
  { command: 'npm run layers', reason: 'the check runs it', instead: 'npm run layers -- --version' },
  {
    command: 'npm start -- --faults 5',
    reason: 'it runs until it is stopped; test/local starts stacks',
    instead: 'npm start -- --faults 5 --help',
  },
  {
    command: 'npm start -- --latency 20',
    reason: 'it runs until it is stopped; test/local starts stacks',
    instead: 'npm start -- --latency 20 --help',
  },
  {
    command: 'WEBHOOK_RETRY_SECONDS=1,2,3 npm start',
    reason: 'it runs until it is stopped; test/local starts stacks',
    instead: 'WEBHOOK_RETRY_SECONDS=1,2,3 npm start -- --help',
  },
  {
    command: 'npm run demo',
    reason: 'it waits for an idle stack, and other tests use this one',
    instead: 'refused "Give both" npm run demo -- --url http://localhost',
  },
  { command: 'SCREENSHOTS=1 npx vitest run', reason: runsTests },
  { command: 'npx vitest run', reason: runsTests },
  { command: 'npm run client:pack', reason: 'test/client/package.commands.test.ts runs it' },
  { command: 'npm install /path/to/', reason: 'test/client/package.commands.test.ts installs the package' },
  {
    command: 'npx affiliate-program listen',
    reason: 'it runs until it is stopped; test/client listens',
    instead: 'npx affiliate-program listen --help',
  },
  {
    command: 'npx affiliate-program trigger',
    reason: 'nothing listens there; test/client triggers events',
    instead: 'npx affiliate-program trigger --help',
  },
  { command: 'npm run test:', reason: takesMinutes },
  { command: 'DYNAMODB_ENDPOINT=', reason: takesMinutes },
  { command: 'npx node test/bench/', reason: takesMinutes },
  { command: 'npx node test/demo/picture.ts', reason: 'it needs a browser, and would replace the picture' },
  { command: 'npm run bench', reason: takesMinutes },
  { command: 'npx cdk bootstrap', reason: needsAws, instead: 'npx cdk --version' },
  { command: 'npm run deploy', reason: `${needsAws}; test/infra synthesizes every stage` },
  { command: 'aws ', reason: needsAws },
  { command: 'npx cdk diff', reason: `${needsAws}; the rehearsal runs it`, instead: 'npx cdk --version' },
  { command: 'npx cdk destroy', reason: `${needsAws}; the rehearsal runs it`, instead: 'npx cdk --version' },
  { command: 'npm run rehearse', reason: takesMinutes },
  { command: 'git pull && npm ci', reason: installs },
  {
    command: 'npx --yes openapi-typescript',
    reason: 'it fetches a package; test/clients runs the same version',
  },
  { command: 'mvn -q dependency:get', reason: installs },
  {
    command: 'npm run -s admin -- --stack affiliate-program-prod program create',
    reason: needsAws,
    instead:
      'refused "No region is set" npm run -s admin -- --stack affiliate-program-prod program create --name Shop --owner-email owner@example.com --currency EUR',
  },
  {
    command: 'npm run -s admin -- --stack affiliate-program-prod webhooks redrive',
    reason: needsAws,
    instead: 'refused "No region is set" npm run -s admin -- --stack affiliate-program-prod webhooks redrive',
  },
  {
    command: 'npm run -s admin -- --stack affiliate-program-prod webhooks discard',
    reason: needsAws,
    instead:
      'refused "No region is set" npm run -s admin -- --stack affiliate-program-prod webhooks discard --worker update-totals --message-id 1 --reason "counted by hand" --record discarded.jsonl',
  },
  {
    command: 'npm run -s admin -- webhooks redrive',
    reason: onWholeStack,
    instead: `${noStack} webhooks redrive`,
  },
  {
    command: 'npm run -s admin -- --stack affiliate-program-prod doctor',
    reason: needsAws,
    instead: 'refused "No region is set" npm run -s admin -- --stack affiliate-program-prod doctor',
  },
  {
    command: 'npm run -s admin -- --stack affiliate-program-prod restore',
    reason: needsAws,
    instead: 'refused "No region is set" npm run -s admin -- --stack affiliate-program-prod restore',
  },
  {
    command: 'npm run -s admin -- --stack affiliate-program-prod statistics build',
    reason: needsAws,
    instead: 'refused "No region is set" npm run -s admin -- --stack affiliate-program-prod statistics build',
  },
  { command: 'npm run -s admin -- doctor', reason: onWholeStack, instead: `${noStack} doctor` },
  { command: 'npm run -s admin -- export > all.jsonl', reason: onWholeStack, instead: `${noStack} export` },
  {
    command: 'npm run -s admin -- export --program',
    reason: 'the program of the page is deleted by then; test/local exports one',
    instead: `${noStack} export --program none`,
  },
  {
    command: 'npm run -s admin -- restore --from-file',
    reason: onWholeStack,
    instead: `${noStack} restore --from-file nothing`,
  },
  { command: 'npm run -s admin -- keys rebuild', reason: onWholeStack, instead: `${noStack} keys rebuild` },
  {
    command: 'npm run -s admin -- program list-all',
    reason: onWholeStack,
    instead: `${noStack} program list-all`,
  },
  { command: 'npm run -s admin -- search build', reason: onWholeStack, instead: `${noStack} search build` },
  { command: 'npm run -s admin -- statistics build', reason: onWholeStack, instead: `${noStack} statistics build` },
  {
    command: 'npm run -s admin -- commissions build',
    reason: onWholeStack,
    instead: `${noStack} commissions build`,
  },
  { command: 'npm run -s admin -- secrets rotate', reason: onWholeStack, instead: `${noStack} secrets rotate` },
  { command: 'npm run -s admin -- secrets reencrypt', reason: onWholeStack, instead: `${noStack} secrets reencrypt` },
];

/** The list's entry of a command; the longest beginning decides. */
export const notRun = (line: string): CommandNotRun | undefined =>
  commandsNotRun
    .filter(({ command }) => line.startsWith(command))
    .toSorted((one, other) => other.command.length - one.command.length)[0];

/** The commands of a block, one per line without comments. */
export const commandLines = (text: string): string[] =>
  text
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.replace(/\s+# .*$/, ''));

/** The block with each command that is not run replaced by what is run in its place. */
export const runnable = (text: string): string => {
  const lines = commandLines(text);
  if (!lines.some(notRun)) return text;
  return lines
    .map((line) => {
      const entry = notRun(line);
      return entry ? (entry.instead ?? ':') : line;
    })
    .join('\n');
};
