import * as z from 'zod';

const actorTypes = ['API_KEY', 'CONNECTED_APP', 'MEMBER', 'AFFILIATE', 'SYSTEM'] as const;

export const Actor = z
  .object({
    type: z
      .enum(actorTypes)
      .describe('Whether a key, a connected app, a member, an affiliate in the portal or the service itself did it.'),
    id: z
      .string()
      .describe(
        'The id of the key or of the connection, the email of the member, the id of the affiliate, or the name of the worker.',
      ),
  })
  .meta({ id: 'Actor' });
export type Actor = z.infer<typeof Actor>;

/** Every byte counts: some records are just below the size of another write unit. */
const letters: Readonly<Record<Actor['type'], string>> = {
  API_KEY: 'K',
  CONNECTED_APP: 'A',
  MEMBER: 'M',
  AFFILIATE: 'F',
  SYSTEM: 'S',
};

/** Of records from before requests were named. */
const unknownRequest = '-';

export const actorText = ({ type, id }: Actor): string => `${letters[type]}:${id}`;

/** The request that caused a change, in one text, for the workers that follow from it. Undefined where no request did. */
export const causeText = ({ by, req }: { by?: unknown; req?: unknown }): string | undefined => {
  if (typeof by !== 'string') return undefined;
  const id = typeof req === 'string' ? req : undefined;
  return by.startsWith(`${letters.SYSTEM}:`) ? id : `${id ?? unknownRequest} ${by}`;
};

export const causeFrom = (text: string | undefined): { requestId: string | null; actor: Actor | null } | null => {
  if (text === undefined) return null;
  const [id = '', by] = text.split(' ');
  return { requestId: id === unknownRequest ? null : id, actor: actorFrom(by) };
};

/** Null for what was written before this was kept, and by the operator. */
export const actorFrom = (text: unknown): Actor | null => {
  const [, letter, id] = /^(.):(.+)$/.exec(String(text)) ?? [];
  const type = actorTypes.find((one) => letters[one] === letter);
  return type && id ? { type, id } : null;
};
