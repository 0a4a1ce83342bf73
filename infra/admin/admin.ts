import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { currency, email, text } from '../../shared/contract/fields.ts';
import { importKinds, importPresets } from '../../shared/contract/imports.ts';
import { type SecretName, secretNames } from '../../shared/contract/needs.ts';
import { listAllPrograms } from '../../shared/domain/programs/all-programs.ts';
import { createApiKey, deleteApiKey, listApiKeys } from '../../shared/domain/programs/api-keys.ts';
import { createProgram, deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { rebuildAllTokens, rebuildTokensOf } from '../../shared/domain/programs/rebuild-tokens.ts';
import { buildAllCommissions, buildCommissionsOf } from '../../shared/domain/sales/build-commissions.ts';
import { buildAllSearch, buildSearchOf } from '../../shared/domain/sales/build-search.ts';
import { buildAllStatistics, buildStatisticsOf } from '../../shared/domain/totals/build-statistics.ts';
import { allowAddress } from '../../shared/platform/mail/addresses.ts';
import { type DiscardOptions, discardDeadLetter } from './discard.ts';
import { eraseAndWait, personFile } from './erase.ts';
import { exportLines } from './export.ts';
import { type ImportOptions, importFile } from './import.ts';
import { redriveWatched } from './redrive.ts';
import { type RestoreOptions, runRestore } from './restore/run-restore.ts';
import { reencryptSecrets, rotateSecrets } from './rotate-secrets.ts';
import { useStack } from './target.ts';

/** The operator's command line. Prints JSON; on an error, prints a message and exits with code 1. */

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
  .option('--stack <name>', 'a deployed stack; the running local stack by default')
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

program
  .command('mails')
  .description('let programs write to people again')
  .command('allow')
  .description('end the suppression of an address that bounced or complained; SES keeps a list of its own')
  .requiredOption('--address <email>', 'the address', anEmail)
  .action(
    responding(async ({ address }: { address: string }) => ({ address, wasSuppressed: await allowAddress(address) })),
  );

const programCommands = program.command('program').description('create or delete a program');
programCommands
  .command('create')
  .description('create a program with a first API key, which the web application can show again')
  .requiredOption('--name <name>', 'name of the program', aName)
  .requiredOption('--owner-email <email>', "the email of the owner's account", anEmail)
  .option('--currency <code>', 'ISO 4217', aCurrency, 'USD')
  .addOption(
    new Option(
      '--plan <plan>',
      'the plan of the account; by default BUSINESS for a new account, and unchanged for an existing one',
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
  .description('delete a program: its API requests return 404 at once, and its data is deleted in the background')
  .requiredOption('--id <programId>')
  .action(
    responding(async ({ id }: { id: string }) => {
      await deleteProgram(id);
      return { deletedProgramId: id };
    }),
  );

programCommands
  .command('list-all')
  .description('add programs that were created before there was a list of all programs; changes nothing else')
  .action(responding(() => listAllPrograms()));

program
  .command('account')
  .description('set the plan of an account')
  .command('set-plan')
  .requiredOption('--email <email>', 'the email of the account', anEmail)
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
  .description('create, list or delete API keys, or rebuild their tokens');
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
      await deleteApiKey(id, keyId, new Date());
      return { deletedKeyId: keyId };
    }),
  );

keyCommands
  .command('rebuild')
  .description('rebuild the tokens of API keys after the traffic table was lost; changes nothing else')
  .option('--program <programId>', 'only the keys of this program')
  .action(responding(({ program: id }: { program?: string }) => (id ? rebuildTokensOf(id) : rebuildAllTokens())));

program
  .command('search')
  .description('the index of the search by words')
  .command('build')
  .description('add records that were created before the search by words; changes nothing else')
  .option('--program <programId>', 'only the records of this program')
  .action(responding(({ program: id }: { program?: string }) => (id ? buildSearchOf(id) : buildAllSearch())));

program
  .command('statistics')
  .description('the sums by day, affiliate and link')
  .command('build')
  .description('add sales and referrals that were created before the statistics; changes nothing else')
  .option('--program <programId>', 'only the records of this program')
  .action(responding(({ program: id }: { program?: string }) => (id ? buildStatisticsOf(id) : buildAllStatistics())));

program
  .command('commissions')
  .description('what months and tiers of groups depend on')
  .command('build')
  .description('add sales that were recorded before there were groups; changes nothing else')
  .option('--program <programId>', 'only the sales of this program')
  .action(responding(({ program: id }: { program?: string }) => (id ? buildCommissionsOf(id) : buildAllCommissions())));

const webhookCommands = program.command('webhooks').description('the workers behind webhooks');
webhookCommands
  .command('redrive')
  .description('redrive the dead letters of all workers; Ctrl-C ends it and prints what was redriven until then')
  .action(responding((_options: object, { outputs }) => redriveWatched(outputs)));
webhookCommands
  .command('discard')
  .description('delete one dead letter for good, after it was written to a file')
  .requiredOption('--worker <id>', 'the worker that gave it up, such as update-totals')
  .requiredOption('--message-id <id>', 'the id that a redrive prints')
  .requiredOption('--reason <text>', 'why nobody needs it', aName)
  .requiredOption('--record <file>', 'where the letter is appended, with who discarded it, when and why')
  .action(responding((options: DiscardOptions, { outputs }) => discardDeadLetter(outputs, options)));

const secretCommands = program.command('secrets').description('the secrets that encrypt and sign');
secretCommands
  .command('rotate')
  .description('create new versions of secrets, and encrypt again with them what the tables keep')
  .addOption(new Option('--name <name>', 'one secret; all by default').choices(secretNames))
  .action(responding(({ name }: { name?: SecretName }) => rotateSecrets(name ? [name] : secretNames)));
secretCommands
  .command('reencrypt')
  .description('encrypt again what earlier versions still encrypt, such as after an interrupted rotation')
  .action(responding(() => reencryptSecrets()));

program
  .command('doctor')
  .description('check the whole stack and report problems; read-only; exits with code 1 if there is a problem')
  .action(
    responding(async (_options: object, target) => {
      // Other commands do not need its clients of CloudWatch, Lambda and SNS.
      const { checkStack } = await import('./doctor/doctor.ts');
      const report = await checkStack(target);
      if (!report.healthy) process.exitCode = 1;
      return report;
    }),
  );

program
  .command('import')
  .description('import a CSV file, and wait; exits with code 1 where rows were refused')
  .requiredOption('--program <programId>')
  .addOption(new Option('--kind <kind>', 'what the rows are').choices(importKinds).makeOptionMandatory())
  .requiredOption('--file <file>', 'a CSV file of at most 50,000 rows; its headers name the columns')
  .addOption(new Option('--preset <product>', 'the product that exported the file').choices(importPresets))
  .option('--dry-run', 'say what would happen to each row, and write nothing')
  .option('--events', 'send webhooks for what is imported')
  .action(
    responding(async (options: ImportOptions) => {
      const report = await importFile(options);
      if (report.refused.length > 0) process.exitCode = 1;
      return report;
    }),
  );

program
  .command('erase')
  .description('erase an affiliate or a customer by email, and wait until it is done; cannot be undone')
  .requiredOption('--program <programId>')
  .requiredOption('--email <email>', 'the email of the person', anEmail)
  .action(responding(({ program: id, email }: { program: string; email: string }) => eraseAndWait(id, email)));

program
  .command('person')
  .description('print all that a program keeps about an affiliate or a customer, as JSON')
  .requiredOption('--program <programId>')
  .requiredOption('--email <email>', 'the email of the person', anEmail)
  .action(responding(({ program: id, email }: { program: string; email: string }) => personFile(id, email)));

program
  .command('export')
  .description('print the items of one program, or of the whole table, as JSON lines, for backup and restore')
  .option('--program <programId>', 'only this program')
  .action(async ({ program: id }: { program?: string }) => {
    await chosenStack();
    await pipeline(Readable.from(exportLines(id)), process.stdout, { end: false });
  });

program
  .command('restore')
  .description('restore missing programs from a backup; existing programs are not changed')
  .addOption(new Option('--from-file <file>', 'a file that the command export wrote').conflicts(['fromTable', 'at']))
  .option('--from-table <name>', 'a restored copy of the table, or with --at the lost table itself')
  .option('--at <time>', 'have DynamoDB restore the table as of this time first', aTime)
  .addOption(
    new Option(
      '--traffic',
      'restore what the table traffic had instead: events, deliveries, responses to repeat',
    ).conflicts(['fromFile', 'program', 'revokeKeys']),
  )
  .option('--program <programId>', 'only this program')
  .option('--revoke-keys', 'restore no API key and no connector token: for a backup that may hold revoked ones')
  .action(responding((options: RestoreOptions, { outputs }) => runRestore(options, outputs)));

try {
  await program.parseAsync();
} catch (error) {
  console.error(`admin: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
