import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { callApi, endStack, runAdmin, type StartedStack, startStack } from './started-stack.ts';

// The operator's command line, against a stack that runs in another process.

vi.setConfig({ testTimeout: 60_000 });

const dataFolder = mkdtempSync(join(tmpdir(), 'admin-'));
let stack: StartedStack;

beforeAll(async () => {
  stack = await startStack(dataFolder);
});
afterAll(async () => {
  await endStack(stack);
  rmSync(dataFolder, { recursive: true, force: true });
});

const admin = async (...command: string[]) => {
  const { exitCode, output, problems } = await runAdmin(dataFolder, ...command);
  expect({ exitCode, problems }).toEqual({ exitCode: 0, problems: '' });
  return JSON.parse(output);
};

const statusWith = async (apiKey: string): Promise<number> =>
  (await callApi({ ...stack, apiKey }, 'GET', '/program')).status;

const ownedBy = (email: string) => ['program', 'create', '--name', 'Shop', '--owner-email', email];

it('a created program can be used at once, and not once it is deleted', async () => {
  const { programId, apiKey } = await admin(...ownedBy('one@example.com'), '--currency', 'EUR');
  const program = await callApi({ ...stack, apiKey }, 'GET', '/program');
  expect(program).toMatchObject({ status: 200, body: { id: programId, name: 'Shop', currency: 'EUR' } });

  expect(await admin('program', 'delete', '--id', programId)).toEqual({ deletedProgramId: programId });
  expect(await callApi({ ...stack, apiKey }, 'GET', '/program')).toEqual({
    status: 404,
    body: { error: 'Affiliate program not found' },
  });
});

it('keys are made, listed without their text, and useless as soon as they are deleted', async () => {
  const { programId, apiKey: firstKey } = await admin(...ownedBy('two@example.com'));
  const { keyId, apiKey } = await admin('key', 'create', '--program', programId, '--name', 'Shop server');
  expect(await statusWith(apiKey)).toBe(200);

  const listed = await admin('key', 'list', '--program', programId);
  expect(listed).toHaveLength(2);
  expect(listed).toContainEqual({
    id: keyId,
    name: 'Shop server',
    lastFour: apiKey.slice(-4),
    createdAt: expect.any(String),
  });
  expect(JSON.stringify(listed)).not.toContain(apiKey);

  await admin('key', 'delete', '--program', programId, '--id', keyId);
  expect(await statusWith(apiKey)).toBe(401);
  expect(await statusWith(firstKey)).toBe(200);
});

it('a plan opens and closes the API at once', async () => {
  const { apiKey } = await admin(...ownedBy('three@example.com'), '--plan', 'FREE');
  expect(await statusWith(apiKey)).toBe(403);
  await admin('account', 'set-plan', '--email', 'Three@example.com', '--plan', 'BUSINESS');
  expect(await statusWith(apiKey)).toBe(200);
  await admin('account', 'set-plan', '--email', 'three@example.com', '--plan', 'FREE');
  expect(await statusWith(apiKey)).toBe(403);
});

it.each([
  ['a program that is not there', ['program', 'delete', '--id', 'none'], 'program not found'],
  ['a key that is not there', ['key', 'delete', '--program', 'none', '--id', 'none'], 'No such key'],
  ['an email that is none', ownedBy('nobody'), 'must be an email address'],
  ['an unknown plan', ['account', 'set-plan', '--email', 'a@example.com', '--plan', 'GOLD'], 'FREE, BUSINESS'],
  ['an unknown command', ['programme'], 'unknown command'],
])('%s is exit code 1 and a clear line', async (_, command, sentence) => {
  const { exitCode, output, problems } = await runAdmin(dataFolder, ...command);
  expect(exitCode).toBe(1);
  expect(output).toBe('');
  expect(problems).toContain(sentence);
});

it('says that no stack is running', async () => {
  const { exitCode, problems } = await runAdmin(join(dataFolder, 'nothing'), 'key', 'list', '--program', 'x');
  expect(exitCode).toBe(1);
  expect(problems).toContain('npm start');
});
