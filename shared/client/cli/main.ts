#!/usr/bin/env node
import { Command } from 'commander';
import { AffiliateProgramError } from '../errors.ts';
import { operationCommands, version } from './commands.at-build.ts';
import { forwardingSecret } from './forward.ts';
import { type ListenOptions, listen } from './listen.ts';
import { type LoginOptions, login, logout } from './login.ts';
import { addOperation, kebab } from './operation.ts';
import { type TriggerOptions, trigger } from './trigger.ts';

/** `affiliate-program`: every operation as a command. JSON on standard output; 1 and a sentence on an error. */

const program = new Command('affiliate-program')
  .description('The affiliate program API on the command line')
  .version(version)
  .showHelpAfterError();

program
  .command('login')
  .description('keep the address of the API and a key for the commands that follow')
  .option('--url <url>', 'the address of the API, or of the application that has it')
  .option('--key <key>', 'an API key of the program; asked for when absent')
  .action((options: LoginOptions) => login(options));
program.command('logout').description('forget the address and the key').action(logout);

program
  .command('listen')
  .description('forward the events of the program to an address of your machine, as signed webhooks')
  .requiredOption('--forward-to <url>', 'where your receiver listens')
  .option('--type <type...>', 'only events of these types')
  .option('--after <position>', 'where to begin: now, start, or the position that an earlier run printed', 'now')
  .action((options: ListenOptions) => listen(options));

program
  .command('secret')
  .description('print the secret that listen and trigger sign with on this machine')
  .action(() => console.log(forwardingSecret()));

program
  .command('trigger')
  .description('send an example of an event')
  .argument('<type>', 'a type of event, such as sale.created')
  .option('--webhook-id <id>', 'the service sends a test with the example to this endpoint')
  .option('--forward-to <url>', 'send the example to this address of your machine')
  .action((type: string, options: TriggerOptions) => trigger(type, options));

for (const resource of new Set(operationCommands.map(({ route }) => route.resource))) {
  const commands = operationCommands.filter(({ route }) => route.resource === resource);
  const parent = program
    .command(kebab(resource))
    .description(commands.map(({ route }) => kebab(route.name)).join(', '));
  for (const command of commands) addOperation(parent, command);
}

const sentenceOf = (error: unknown): string => {
  if (!(error instanceof AffiliateProgramError)) return error instanceof Error ? error.message : String(error);
  const { status, code, requestId, message, details } = error;
  const context = [status, code, requestId && `request ${requestId}`].filter(Boolean).join(', ');
  return [`${message} (${context})`, ...details.slice(1).map((detail) => `${detail.path}: ${detail.message}`)].join(
    '\n',
  );
};

try {
  await program.parseAsync();
} catch (error) {
  console.error(`Error: ${sentenceOf(error)}`);
  process.exitCode = 1;
}
