import * as z from 'zod';
import { bounds } from '../../contract/bounds.ts';
import { ApiError } from '../../contract/errors.ts';
import { keptSince } from './retention.ts';

const { endpointsOfProgram, subscriptionsOfProgram } = bounds;

/** Endpoints of a program, with the subscriptions of automation platforms. */
export const mostWebhooks = endpointsOfProgram + subscriptionsOfProgram;

export const StoredWebhook = z.object({
  id: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
  url: z.string(),
  eventTypes: z.array(z.string()),
  description: z.string().nullable(),
  active: z.boolean(),
  deactivationReason: z.string().nullable(),
  deactivatedAt: z.string().nullable(),
  /** What made it: the connection to an automation platform, which takes it along when it ends; null for all else. */
  connection: z.literal('CONNECTOR').nullable(),
  /** Encrypted, as is the one before, which signs too after a rotation, until the moment beside it. */
  sealedSecret: z.string(),
  previousSealedSecret: z.string().nullable(),
  previousSecretUntil: z.string().nullable(),
  /** Since when every attempt has failed; null after a success. */
  failingSince: z.string().nullable(),
  /** Whether its last attempt ended soon. One that hangs, or was never tried, shares slots with those of all programs. */
  isResponsive: z.boolean().default(false),
  /** Between which moments the service had it switched off, before its owner switched it on again. */
  missedSince: z.string().nullable().default(null),
  missedUntil: z.string().nullable().default(null),
  /** One of the program's places, which only one endpoint can hold. */
  slot: z.number(),
});
export type StoredWebhook = z.infer<typeof StoredWebhook>;

/** The slots for endpoints of a connection, or of none, and what to say when all of them are taken. */
export const slotsFor = (
  connection: StoredWebhook['connection'],
): { first: number; count: number; all: number; whenFull: () => Error } =>
  connection === 'CONNECTOR'
    ? {
        first: endpointsOfProgram,
        count: subscriptionsOfProgram,
        all: mostWebhooks,
        whenFull: () =>
          new ApiError('bad_request', `A program has at most ${subscriptionsOfProgram} subscriptions. End one first.`),
      }
    : {
        first: 0,
        count: endpointsOfProgram,
        all: mostWebhooks,
        whenFull: () =>
          new ApiError(
            'bad_request',
            `A program has at most ${endpointsOfProgram} webhook endpoints. Delete one first.`,
          ),
      };

/** What an edit may give; what is undefined stays. */
interface WebhookEdit {
  url?: string | undefined;
  eventTypes?: readonly string[] | undefined;
  description?: string | null | undefined;
  active?: boolean | undefined;
}

/** What an endpoint missed before, as long as any of it is kept. */
const earliestMissed = ({ missedSince, missedUntil }: StoredWebhook, now: Date): string | null =>
  missedUntil !== null && missedUntil > keptSince(now) ? missedSince : null;

/**
 * An endpoint after an edit. Switched on or off by its owner it has no reason of ours any more, and one that is
 * switched on, or has another address, has not failed yet.
 */
export const changedWebhook = (webhook: StoredWebhook, edit: WebhookEdit, now: Date): StoredWebhook => {
  const { url = webhook.url, eventTypes, description = webhook.description, active = webhook.active } = edit;
  const isSwitched = active !== webhook.active;
  const wasOffSince = active && webhook.deactivatedAt;
  return {
    ...webhook,
    url,
    description,
    active,
    eventTypes: eventTypes ? [...new Set(eventTypes)] : webhook.eventTypes,
    updatedAt: now.toISOString(),
    ...(isSwitched && { deactivationReason: null, deactivatedAt: null }),
    ...(wasOffSince && { missedSince: earliestMissed(webhook, now) ?? wasOffSince, missedUntil: now.toISOString() }),
    ...((isSwitched || url !== webhook.url) && { failingSince: null, isResponsive: false }),
  };
};

/** An event may be fanned out this long after it was made, or by what was read this long before. */
const fanOutMilliseconds = 5 * 60 * 1000;

/**
 * From when until when events made no deliveries for an endpoint, as far back as `since`; undefined where they always
 * did. Wide rather than narrow: one that has its delivery makes no second one. Only the whole of several times off is
 * remembered.
 */
export const missedBetween = (
  { missedSince, missedUntil, createdAt }: StoredWebhook,
  since: string,
): { from: string; until: string } | undefined => {
  if (missedSince === null || missedUntil === null) return undefined;
  const moved = (at: string, milliseconds: number) => new Date(Date.parse(at) + milliseconds).toISOString();
  const from = [since, createdAt, moved(missedSince, -fanOutMilliseconds)].sort().at(-1) ?? since;
  return { from, until: moved(missedUntil, fanOutMilliseconds) };
};

const bothSignMilliseconds = 24 * 60 * 60 * 1000;

/** An endpoint after a rotation: the secret that it had signs too for 24 hours; one from before that no more. */
export const withNewSecret = (webhook: StoredWebhook, sealedSecret: string, now: Date): StoredWebhook => ({
  ...webhook,
  sealedSecret,
  previousSealedSecret: webhook.sealedSecret,
  previousSecretUntil: new Date(now.getTime() + bothSignMilliseconds).toISOString(),
  updatedAt: now.toISOString(),
});

/** Whether an endpoint asked for events of a type, or for all. */
export const wantsEvent = ({ eventTypes }: Pick<StoredWebhook, 'eventTypes'>, type: string): boolean =>
  eventTypes.includes('*') || eventTypes.includes(type);

/** The secrets that sign now, sealed: the endpoint's own, and for a day after a rotation the one before. */
export const sealedSigningSecrets = (webhook: StoredWebhook, now: Date): string[] => {
  const { sealedSecret, previousSealedSecret, previousSecretUntil } = webhook;
  const both = previousSealedSecret && previousSecretUntil && now.toISOString() < previousSecretUntil;
  return both ? [sealedSecret, previousSealedSecret] : [sealedSecret];
};

const mostFailingMilliseconds = 5 * 24 * 60 * 60 * 1000;

/** How an attempt ended, as far as it concerns the endpoint. */
export interface AttemptEnd {
  succeeded: boolean;
  responseStatus: number | null;
  /** Whether the delivery has no attempt left. */
  isLast: boolean;
  durationMilliseconds: number;
}

/** An attempt that takes longer holds a slot that others wait for. */
const responsiveMilliseconds = 3000;

const deactivated = (webhook: StoredWebhook, reason: string, now: Date): StoredWebhook => {
  const at = now.toISOString();
  return { ...webhook, active: false, deactivationReason: reason, deactivatedAt: at, updatedAt: at };
};

/**
 * What an attempt makes of its endpoint, or undefined where it changes nothing: a 410 switches it off at once, five
 * days of nothing but failure do when a delivery has used up its attempts (so that one failure long ago and one now
 * do not). Decisions, section 4.
 */
export const afterAttempt = (read: StoredWebhook, end: AttemptEnd, now: Date): StoredWebhook | undefined => {
  if (!read.active) return undefined;
  const isResponsive = end.durationMilliseconds <= responsiveMilliseconds;
  const webhook = { ...read, isResponsive };
  const unchanged = isResponsive === read.isResponsive ? undefined : webhook;
  if (end.succeeded) return read.failingSince === null ? unchanged : { ...webhook, failingSince: null };
  if (end.responseStatus === 410) return deactivated(webhook, 'The address answered 410 Gone', now);
  if (read.failingSince === null) return { ...webhook, failingSince: now.toISOString() };
  const failingMilliseconds = now.getTime() - Date.parse(read.failingSince);
  if (!end.isLast || failingMilliseconds < mostFailingMilliseconds) return unchanged;
  return deactivated(webhook, `Every delivery has failed since ${read.failingSince}`, now);
};
