import { expect, it } from 'vitest';
import { queueNamed, type Resources, secretNamed } from '../../infra/constructs/resources.ts';

const none = { queues: new Map(), secrets: new Map() } as unknown as Resources;

it('a need of a queue that no worker reads fails the synthesis, which names the queue', () => {
  expect(() => queueNamed('deliveries', none)).toThrow("reads the queue 'deliveries'");
});

it('a need of a secret that is not there fails the synthesis, which names the secret', () => {
  expect(() => secretNamed('sessions', none)).toThrow("no secret 'sessions'");
});
