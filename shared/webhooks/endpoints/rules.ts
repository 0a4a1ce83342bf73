import * as z from 'zod';
import { bounds } from '../../contract/bounds.ts';
import { ApiError } from '../../contract/errors.ts';
import { Reveals } from '../../domain/programs/reveals.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { keptSince } from './retention.ts';

const { endpointsOfProgram, subscriptionsOfProgram } = bounds;

export const maxWebhooks = endpointsOfProgram + subscriptionsOfProgram;

export const StoredWebhook = z.object({
  ...storedFields,
  url: z.string(),
  eventTypes: z.array(z.string()),
  description: z.string().nullable(),
  active: z.boolean(),
  deactivationReason: z.string().nullable(),
  deactivatedAt: z.string().nullable(),
  /** The connection that created it and takes it along when it ends; else null. */
  connection: z.literal('CONNECTOR').nullable(),
  /** Encrypted, as is the previous one, which also signs until the moment beside it. */
  sealedSecret: z.string(),
  previousSealedSecret: z.string().nullable(),
  previousSecretUntil: z.string().nullable(),
  failingSince: z.string().nullable(),
  /** If not, or never tried, it shares slots with those of all programs. */
  isResponsive: z.boolean().default(false),
  /** When the service had it deactivated, before its owner reactivated it. */
  missedSince: z.string().nullable().default(null),
  missedUntil: z.string().nullable().default(null),
  /** Of this secret. */
  seenBy: Reveals,
  /** The slot that bounds the number of endpoints. */
  slot: z.number(),
});
export type StoredWebhook = z.infer<typeof StoredWebhook>;

export const slotsFor = (
  connection: StoredWebhook['connection'],
): { first: number; count: number; all: number; whenFull: () => Error } =>
  connection === 'CONNECTOR'
    ? {
        first: endpointsOfProgram,
        count: subscriptionsOfProgram,
        all: maxWebhooks,
        whenFull: () =>
          new ApiError('bad_request', `A program has at most ${subscriptionsOfProgram} subscriptions. End one first.`),
      }
    : {
        first: 0,
        count: endpointsOfProgram,
        all: maxWebhooks,
        whenFull: () =>
          new ApiError(
            'bad_request',
            `A program has at most ${endpointsOfProgram} webhook endpoints. Delete one first.`,
          ),
      };

interface WebhookEdit {
  url?: string | undefined;
  eventTypes?: readonly string[] | undefined;
  description?: string | null | undefined;
  active?: boolean | undefined;
}

/** Null if nothing that is still kept was missed. */
export const earliestMissed = ({ missedSince, missedUntil }: StoredWebhook, now: Date): string | null =>
  missedUntil !== null && missedUntil > keptSince(now) ? missedSince : null;

/** An endpoint that is reactivated, or has another URL, has not failed yet. */
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

/** How late an event may be fanned out, or how old the endpoints may be that it is fanned out by. */
const fanOutMilliseconds = 5 * 60 * 1000;

/** When events made no deliveries for an endpoint, wide rather than narrow: existing deliveries are not repeated. */
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

/** The current secret also signs for 24 hours; an older one no more. */
export const withNewSecret = (webhook: StoredWebhook, sealedSecret: string, now: Date): StoredWebhook => {
  // Of two rotations in a millisecond the second is later too: the audit log tells them apart by their times.
  const afterPrevious = webhook.previousSecretUntil ? Date.parse(webhook.previousSecretUntil) + 1 : 0;
  return {
    ...webhook,
    sealedSecret,
    previousSealedSecret: webhook.sealedSecret,
    previousSecretUntil: new Date(Math.max(now.getTime() + bothSignMilliseconds, afterPrevious)).toISOString(),
    seenBy: [],
    updatedAt: now.toISOString(),
  };
};

/** When the current secret was made. */
export const secretSetAt = ({ createdAt, previousSecretUntil }: StoredWebhook): string =>
  previousSecretUntil ? new Date(Date.parse(previousSecretUntil) - bothSignMilliseconds).toISOString() : createdAt;

export const wantsEvent = ({ eventTypes }: Pick<StoredWebhook, 'eventTypes'>, type: string): boolean =>
  eventTypes.includes('*') || eventTypes.includes(type);

export const encryptedSigningSecrets = (webhook: StoredWebhook, now: Date): string[] => {
  const { sealedSecret, previousSealedSecret, previousSecretUntil } = webhook;
  const both = previousSealedSecret && previousSecretUntil && now.toISOString() < previousSecretUntil;
  return both ? [sealedSecret, previousSealedSecret] : [sealedSecret];
};

const maxFailingMilliseconds = 5 * 24 * 60 * 60 * 1000;

export interface AttemptEnd {
  succeeded: boolean;
  responseStatus: number | null;
  isLast: boolean;
  durationMilliseconds: number;
}

/** A longer attempt holds a slot that others wait for. */
const responsiveMilliseconds = 3000;

const deactivated = (webhook: StoredWebhook, reason: string, now: Date): StoredWebhook => {
  const at = now.toISOString();
  return { ...webhook, active: false, deactivationReason: reason, deactivatedAt: at, updatedAt: at };
};

/** Failures count at a delivery's last attempt: two lone ones do nothing. docs/behavior.md#deactivation */
export const afterAttempt = (read: StoredWebhook, end: AttemptEnd, now: Date): StoredWebhook | undefined => {
  if (!read.active) return undefined;
  const isResponsive = end.durationMilliseconds <= responsiveMilliseconds;
  const webhook = { ...read, isResponsive };
  const unchanged = isResponsive === read.isResponsive ? undefined : webhook;
  if (end.succeeded) return read.failingSince === null ? unchanged : { ...webhook, failingSince: null };
  if (end.responseStatus === 410) return deactivated(webhook, 'The address returned 410 Gone', now);
  if (read.failingSince === null) return { ...webhook, failingSince: now.toISOString() };
  const failingMilliseconds = now.getTime() - Date.parse(read.failingSince);
  if (!end.isLast || failingMilliseconds < maxFailingMilliseconds) return unchanged;
  return deactivated(webhook, `Every delivery has failed since ${read.failingSince}`, now);
};
