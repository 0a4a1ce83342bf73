import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { currency, email, text } from '../../shared/contract/fields.ts';
import { type SecretName, secretNames } from '../../shared/contract/needs.ts';
import { createApiKey, deleteApiKey, listApiKeys } from '../../shared/domain/programs/api-keys.ts';
import { createProgram, deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { rebuildAllTokens, rebuildTokensOf } from '../../shared/domain/programs/rebuild-tokens.ts';
import { buildAllSearch, buildSearchOf } from '../../shared/domain/sales/build-search.ts';
import { checkStack } from './doctor/doctor.ts';
import { exportLines } from './export.ts';
import { redriveDeadLetters } from './redrive.ts';
import { type RestoreOptions, runRestore } from './restore/run-restore.ts';
import { reencryptSecrets, rotateSecrets } from './rotate-secrets.ts';
import { useStack } from './target.ts';

/** The operator's command line. JSON on standard output; 1 and a clear line on an error. */

const parsedBy =
  (schema: { safeParse: (value: unknown) => { success: boolean; data?: unknown } }, message: string) =>
  (value: string): string => {
    const result = schema.safeParse(value);
    if (!result.success) throw new InvalidArgumentError(message);
    return String(result.data);
  };

const anEmail = parsedBy(email, 'must be an email address');
const aCurrency = parsedBy(currency, 'must be an ISO 4217 currency code such as USD');
const aName = parsedBy(text(200), 'must not be empty');
const aTime = parsedBy(z.iso.datetime({ offset: true }), 'must be a time such as 2026-05-01T10:00:00Z');
const plans = ['FREE', 'BUSINESS'] as const;

const program = new Command('admin')
  .description('Manages programs, accounts and keys of a running stack')
  .option('--stack <name>', 'a deployed stack; the running local one when absent')
  .addOption(new Option('--data <folder>', 'the local stack’s data folder').default('.local').hideHelp())
  .showHelpAfterError();

interface Target {
  outputs: Record<string, string>;
  stackName: string | undefined;
}

const chosenStack = async (): Promise<Target> => {
  const { stack: stackName, data } = program.opts<{ stack?: string; data: string }>();
  return { outputs: await useStack({ stack: stackName, dataFolder: data }), stackName };
};

/** Runs a command against the chosen stack and prints what it returns. */
const responding =
  <Options>(action: (options: Options, target: Target) => Promise<unknown>) =>
  async (options: Options): Promise<void> =>
    console.log(JSON.stringify(await action(options, await chosenStack()), null, 2));

const programCommands = program.command('program').description('create or delete a program');
programCommands
  .command('create')
  .description('make a program with a first key; the web application shows the key again')
  .requiredOption('--name <name>', 'name of the program', aName)
  .requiredOption('--owner-email <email>', 'whose account it belongs to', anEmail)
  .option('--currency <code>', 'ISO 4217', aCurrency, 'USD')
  .addOption(
    new Option(
      '--plan <plan>',
      "the account's plan; without it a new account gets BUSINESS, another one keeps its own",
    ).choices(plans),
  )
  .action(
    responding(
      ({
        name,
        ownerEmail,
        currency,
        plan,
      }: {
        name: string;
        ownerEmail: string;
        currency: string;
        plan?: (typeof plans)[number];
      }) => createProgram({ name, ownerEmail, currency, ...(plan && { plan }) }, new Date()),
    ),
  );
programCommands
  .command('delete')
  .description('end a program: its keys get 404 from now on, and all it has is deleted in the background')
  .requiredOption('--id <programId>')
  .action(
    responding(async ({ id }: { id: string }) => {
      await deleteProgram(id);
      return { deletedProgramId: id };
    }),
  );

program
  .command('account')
  .description('set the plan of an account')
  .command('set-plan')
  .requiredOption('--email <email>', 'whose account', anEmail)
  .addOption(new Option('--plan <plan>').choices(plans).makeOptionMandatory())
  .action(
    responding(async ({ email, plan }: { email: string; plan: (typeof plans)[number] }) => {
      await setPlan(email, plan);
      return { email, plan };
    }),
  );

const keyCommands = program
  .command('key')
  .alias('keys')
  .description('create, list or delete the keys of a program, or rebuild what they are authenticated by');
keyCommands
  .command('create')
  .requiredOption('--program <programId>')
  .option('--name <name>', 'what the key is for', aName, 'API key')
  .action(responding(({ program: id, name }: { program: string; name: string }) => createApiKey(id, name, new Date())));
keyCommands
  .command('list')
  .requiredOption('--program <programId>')
  .action(responding(({ program: id }: { program: string }) => listApiKeys(id)));
keyCommands
  .command('delete')
  .requiredOption('--program <programId>')
  .requiredOption('--id <keyId>')
  .action(
    responding(async ({ program: id, id: keyId }: { program: string; id: string }) => {
      await deleteApiKey(id, keyId);
      return { deletedKeyId: keyId };
    }),
  );

keyCommands
  .command('rebuild')
  .description('make every key work again after the traffic table was lost; changes nothing else')
  .option('--program <programId>', 'the keys of one program only')
  .action(responding(({ program: id }: { program?: string }) => (id ? rebuildTokensOf(id) : rebuildAllTokens())));

program
  .command('search')
  .description('what records are searched by')
  .command('build')
  .description('find records from before there was a search by words, too; changes nothing else')
  .option('--program <programId>', 'the records of one program only')
  .action(responding(({ program: id }: { program?: string }) => (id ? buildSearchOf(id) : buildAllSearch())));

program
  .command('webhooks')
  .description('what is behind webhooks')
  .command('redrive')
  .description('send what every worker gave up on, its dead letters, back to work')
  .action(responding((_options: object, { outputs }) => redriveDeadLetters(outputs)));

const secretCommands = program.command('secrets').description('the secrets that texts are encrypted with');
secretCommands
  .command('rotate')
  .description('give secrets a new version, and encrypt with it all that earlier versions encrypt')
  .addOption(new Option('--name <name>', 'one secret; all of them when absent').choices(secretNames))
  .action(responding(({ name }: { name?: SecretName }) => rotateSecrets(name ? [name] : secretNames)));
secretCommands
  .command('reencrypt')
  .description('finish a rotation that was interrupted, or reach what was encrypted with the old version during it')
  .action(responding(() => reencryptSecrets()));

program
  .command('doctor')
  .description('look at the whole stack and say what is wrong; changes nothing; exit code 1 if there is a problem')
  .action(
    responding(async (_options: object, target) => {
      const report = await checkStack(target);
      if (!report.healthy) process.exitCode = 1;
      return report;
    }),
  );

program
  .command('export')
  .description('print the items of one program, or of all, as JSON lines: a copy to keep, and to restore from')
  .option('--program <programId>', 'one program only')
  .action(async ({ program: id }: { program?: string }) => {
    await chosenStack();
    await pipeline(Readable.from(exportLines(id)), process.stdout, { end: false });
  });

program
  .command('restore')
  .description('bring back programs that are missing from a copy; a program that exists is left alone')
  .addOption(new Option('--from-file <file>', 'what admin -- export has printed').conflicts(['fromTable', 'at']))
  .option('--from-table <name>', 'a table that DynamoDB has restored, or with --at the one that was lost')
  .option('--at <time>', 'let DynamoDB restore that table as of this time first', aTime)
  .option('--program <programId>', 'one program only')
  .action(responding((options: RestoreOptions, { outputs }) => runRestore(options, outputs)));

try {
  await program.parseAsync();
} catch (error) {
  console.error(`admin: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
