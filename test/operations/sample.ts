import { randomUUID } from 'node:crypto';
import type { Operation } from '../../shared/contract/operation.ts';
import { getProgram } from '../../shared/domain/programs/repository.ts';
import { createClickId } from '../../shared/domain/tracking/click-id.ts';
import type { Given, World } from '../api/every-operation.ts';
import type { Given as MeasuredGiven } from '../speed/in-process.ts';
import type { World as MeasuredWorld } from '../speed/world.ts';

type ValuesOf = (world: World) => unknown[] | Promise<unknown[]>;

/** Makes what the request needs, which does not count, and returns the request. */
export type MakeRequest = (world: MeasuredWorld) => MeasuredGiven | Promise<MeasuredGiven>;

/** How many calls come one after the other, and what all consume. The check of the key is one write unit of it. */
type Cost = readonly [roundTrips: number, readUnits: number, writeUnits: number];

interface Measured {
  request: MakeRequest;
  /** In a function that knows its key. Raise one only for a reason that the commit tells. */
  cost: Cost;
}

/** What the suites that run over every operation know of one. */
export interface Sample {
  /** After which operation the story of the examples sends it. The first operations have their places in test/contract/stories.ts. */
  playedAfter?: string;
  /** What no request brings about, before the story sends it. `ids` are by those of the examples. */
  prepare?: (story: { programId: string; ids: ReadonlyMap<unknown, unknown> }) => Promise<void>;
  /** The requests by which it is measured: the usual one first. */
  measured: Readonly<Record<string, Measured>>;
}

/** Of an operation that takes a key. */
export interface KeySample extends Sample {
  /** One that the operation accepts, with values of its own each time; a change names what is not there. */
  request: (world: World) => Given;
  /** For every field that names something: values of a program by which its own key would find, or clash with, a record. */
  foreign: Readonly<Record<string, ValuesOf>>;
}

/** A sample of each operation of some lists: a forgotten one does not compile. */
export type SamplesOf<Operations extends readonly Operation[]> = {
  readonly [O in Operations[number] as O['id']]: O extends { auth: 'key' } ? KeySample : Sample;
};

/** Before anything that a test makes: what it gathers is nothing. */
export const longAgo = '2020-01-01T00:00:00Z';

export const subscriptionBody = () => ({ url: `https://example.com/${randomUUID()}`, eventTypes: ['link.deleted'] });

/** A click on the link of the world's program. */
export const clickOf = async ({ api, link }: World): Promise<string> =>
  createClickId(await getProgram(api.programId), link.id, new Date());

/** The cursor of the second page of a list. */
export const cursorOf = async ({ api }: World, path: string): Promise<string> => {
  const { headers } = await api.get(`${path}?limit=1`);
  const next = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return new URL(next ?? '').searchParams.get('cursor') ?? '';
};
