import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSettings, settingVariables } from './settings.ts';
import { functionSources, sourceHash } from './source-hash.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const assembliesFolder = join(root, '.build', 'assemblies');
const assembliesToKeep = 10;

/** What a cloud assembly is made from. `infra/local` and `infra/start` run an assembly and are no part of it. */
const assemblySources = [...functionSources, 'infra/**/*', 'cdk.json'];
const notAssemblySources = ['infra/local/**', 'infra/start/**'];

/** All that the CDK app is told: no account, no credentials and no region, even where somebody has set them. */
const toldOf = (environment: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> =>
  Object.fromEntries(
    ['PATH', 'HOME', 'STAGE', ...Object.values(settingVariables)].map((name) => [name, environment[name]]),
  );

/** The folders of earlier sources go, but for the newest few: one of them may be running. */
const removeOldAssemblies = (): void => {
  const changedAt = (name: string): number => statSync(join(assembliesFolder, name)).mtimeMs;
  const byAge = readdirSync(assembliesFolder).sort((one, other) => changedAt(other) - changedAt(one));
  for (const name of byAge.slice(assembliesToKeep)) rmSync(join(assembliesFolder, name), { recursive: true });
};

/**
 * Bundles the functions and synthesizes the CDK app, unless that was done for these sources and settings before.
 *
 * @param overrides variables that win over the environment's, such as RATE_LIMIT_READS; STAGE is `local` when unset
 * @returns the folder of the cloud assembly (`manifest.json`, the template, the assets) and whether it was there
 */
export const ensureSynthesized = async (
  overrides: Readonly<Record<string, string>> = {},
): Promise<{ assemblyFolder: string; reused: boolean }> => {
  const environment = { STAGE: 'local', ...process.env, ...overrides };
  const settings = readSettings(environment);
  const assemblyFolder = join(
    assembliesFolder,
    `${settings.stage}-${sourceHash(assemblySources, settings, notAssemblySources)}`,
  );
  if (existsSync(assemblyFolder)) return { assemblyFolder, reused: true };

  const isFirst = !existsSync(assembliesFolder);
  mkdirSync(assembliesFolder, { recursive: true });
  const unfinishedFolder = mkdtempSync(join(root, '.build', 'assembly-'));
  try {
    // A process of its own, because the CDK keeps some hundred MB that the local stack would carry for as long as it runs.
    const app = spawn(process.execPath, [join(root, 'infra', 'app.ts')], {
      cwd: root,
      env: {
        ...toldOf(environment),
        // The CDK checks what CloudFormation would take, for as long as all the rest takes. This machine takes less.
        ...(settings.stage === 'local' && { CDK_VALIDATION: 'false' }),
        CDK_OUTDIR: unfinishedFolder,
        // Writing what was compiled takes 0.6 s, for which the first start would wait.
        ...(!isFirst && { NODE_COMPILE_CACHE: join(root, '.build', 'compile-cache') }),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [exitCode] = await once(app, 'exit');
    if (exitCode !== 0) throw new Error('The CDK app could not be synthesized, for the reason above');
    // Renaming last: a folder with the final name is always complete.
    if (!existsSync(assemblyFolder)) renameSync(unfinishedFolder, assemblyFolder);
  } finally {
    rmSync(unfinishedFolder, { recursive: true, force: true });
  }
  removeOldAssemblies();
  return { assemblyFolder, reused: false };
};

if (import.meta.main) {
  const startedAt = performance.now();
  const { assemblyFolder, reused } = await ensureSynthesized();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(
    `${reused ? 'Nothing has changed since' : `Synthesized in ${seconds} s:`} ${relative(root, assemblyFolder)}`,
  );
}
