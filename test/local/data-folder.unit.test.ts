import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DataFolderInUse, openDataFolder } from '../../infra/local/data/data-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const address = 'http://localhost:3000';
const readStackFile = () => JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8'));

it('is held by one stack until it is released', () => {
  const first = openDataFolder({ folder, address });
  expect(() => openDataFolder({ folder, address })).toThrow(DataFolderInUse);
  expect(() => openDataFolder({ folder, address })).toThrow(`already running at ${address}`);
  first.release();
  openDataFolder({ folder, address }).release();
});

it('tells the address of an ephemeral stack and holds none of its data', () => {
  const ephemeral = openDataFolder({ folder, address, ephemeral: true });
  ephemeral.writeJson('secrets.json', {});
  ephemeral.announce('stack.json', { port: 1 });
  expect(readStackFile()).toEqual({ port: 1 });
  expect(readdirSync(folder)).not.toContain('secrets.json');
  expect(readdirSync(ephemeral.path)).toEqual(['secrets.json']);
  ephemeral.withdraw();
  ephemeral.release();
  expect(readdirSync(folder)).toEqual(['lock.db']);
});

it('goes on telling the address of the stack that holds it when an ephemeral one runs beside it', () => {
  const first = openDataFolder({ folder, address });
  first.announce('stack.json', { port: 1 });
  const beside = openDataFolder({ folder, address: 'http://localhost:3001', ephemeral: true });
  beside.announce('stack.json', { port: 2 });
  expect(readStackFile()).toEqual({ port: 1 });
  beside.withdraw();
  beside.release();
  expect(readStackFile()).toEqual({ port: 1 });
  expect(() => openDataFolder({ folder, address })).toThrow(`already running at ${address}`);
  first.release();
});
