import { expect, it } from 'vitest';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { findConnection } from '../../shared/domain/programs/repository.ts';
import { disconnect } from '../../shared/webhooks/endpoints/disconnect.ts';
import { allSubscriptions, subscribe } from '../../shared/webhooks/endpoints/subscriptions.ts';
import { freshEmail, signedIn } from '../support/browser.ts';
import { apiWith } from '../support/program.ts';

const connectedProgram = async () => {
  const ownerEmail = freshEmail();
  const now = new Date();
  const { programId } = await createProgram({ name: 'Shop', ownerEmail }, now);
  const token = await connectorToken(programId, 'first.example', now, 'marta@example.com');
  await connectorToken(programId, 'second.example', now);
  const keyId = (await findConnection(programId))?.id ?? '';
  for (const path of ['one', 'two'])
    await subscribe(
      { programId, keyId },
      { url: `https://hooks.example.com/${path}`, eventTypes: ['sale.created'] },
      now,
    );
  return { ownerEmail, programId, token, path: `/programs/${programId}/settings/connected-apps` };
};

it('connected apps are named, asked about, and lose access and subscriptions when they are disconnected', async () => {
  const { ownerEmail, programId, token, path } = await connectedProgram();
  const browser = await signedIn(ownerEmail);
  const shown = (await browser.visit(path)).text;
  for (const text of [
    'first.example',
    'second.example',
    'https://hooks.example.com/one',
    new Date().toISOString().slice(0, 10),
    'by marta@example.com',
    '/connect/automation/choose-affiliate-program',
    '/api/automation/token',
  ])
    expect(shown).toContain(text);
  expect(shown).not.toContain(token);

  expect((await browser.visit(`${path}/disconnect`)).text).toContain('2 subscriptions');
  expect(shown).toMatch(/Last used<\/dt><dd>Never/);
  expect((await apiWith(token).get('/program')).status).toBe(200);
  expect((await browser.visit(path)).text).toMatch(/Last used<\/dt><dd><time/);

  // Pressed twice.
  const responses = await Promise.all([browser.submit(`${path}/disconnect`), browser.submit(`${path}/disconnect`)]);
  for (const { status, location } of responses) expect([status, location?.pathname]).toEqual([303, path]);
  expect((await apiWith(token).get('/program')).status).toBe(401);
  expect(await allSubscriptions(programId)).toEqual([]);
  expect((await browser.visit(path)).text).toContain('No app is connected yet');
});

it('disconnections that race all end well', async () => {
  const { programId } = await connectedProgram();
  await Promise.all([1, 2, 3].map(() => disconnect(programId, new Date())));
  expect(await allSubscriptions(programId)).toEqual([]);
});
