import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Whose mutants the tests must notice. */
const mutated = ['shared/{domain,webhooks,http,platform}/**/*.ts', 'events/**/*.ts', 'infra/constructs/**/*.ts'];

/** Written by the build, not by hand. */
const built = ['shared/http/openapi/documents.at-build.ts', 'shared/http/openapi/compressed-documents.at-build.ts'];

/** Every source file in scope, relative to the project's folder. */
export const sourcesInScope = (pattern: string | undefined): string[] =>
  globSync(pattern ?? mutated, { cwd: root, exclude: built }).sort();

/** What a sample is drawn from: this, and the pages and the client, as far as code of functions and of unit tests runs them. */
const sampled = ['shared/{domain,webhooks,http,platform,web,client}/**/*.{ts,tsx}', 'events/**/*.ts'];
/** Runs in browsers, in processes of the command line, or while the functions are built. */
const runsElsewhere = [
  '**/*.client.ts',
  '**/*.at-build.ts',
  '**/*.d.ts',
  'shared/client/cli/**',
  'shared/web/documentation/**',
];

export const sourcesOfSample = (): string[] => globSync(sampled, { cwd: root, exclude: runsElsewhere }).sort();

/** Rules that read and write nothing. */
const pure =
  /^shared\/platform\/money\/|^shared\/.*\/([\w-]+-)?rules\.ts$|^events\/|\/retry-schedule\.ts$|\/deltas\.ts$/;

export type Kind = 'pure rules' | 'others';
export const kindOf = (file: string): Kind => (pure.test(file) ? 'pure rules' : 'others');

/** At least so much of the mutants must be noticed, in percent. */
export const floors: Record<Kind, number> = { 'pure rules': 90, others: 85 };

/** The folder of a file. */
export const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/'));

const groupedBy = <InFile extends { file: string }>(all: readonly InFile[], keyOf: (file: string) => string) =>
  Object.entries(Object.groupBy(all, ({ file }) => keyOf(file))).map(([key, ones = []]): [string, InFile[]] => [
    key,
    ones,
  ]);

/** What belongs to each folder, by which reports are divided. */
export const byFolder = <InFile extends { file: string }>(all: readonly InFile[]): [string, InFile[]][] =>
  groupedBy(all, folderOf);

/** What belongs to each area, such as `shared/domain`, by which runs are divided. */
export const byArea = <InFile extends { file: string }>(all: readonly InFile[]): [string, InFile[]][] =>
  groupedBy(all, areaOf);

/** The area of a file, such as `shared/domain`. */
export const areaOf = (file: string): string => folderOf(file).split('/').slice(0, 2).join('/');

/** At least so much of a sample's mutants of an area must be noticed, in percent. */
export const floorOfArea = (area: string): number =>
  ['shared/domain', 'shared/platform'].includes(area) || area.startsWith('events') ? 90 : 85;

/** Whether the functions of the stack run the code of an area. */
export const isRunByFunctions = (area: string): boolean => area !== 'infra/constructs';
