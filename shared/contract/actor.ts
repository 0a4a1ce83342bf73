import * as z from 'zod';

const actorTypes = ['API_KEY', 'CONNECTED_APP', 'MEMBER', 'SYSTEM'] as const;

export const Actor = z
  .object({
    type: z.enum(actorTypes).describe('Whether a key, a connected app, a person or the service itself did it.'),
    id: z
      .string()
      .describe('The id of the key or of the connection, the email of the person, or the name of the worker.'),
  })
  .meta({ id: 'Actor' });
export type Actor = z.infer<typeof Actor>;

/** In one line, as it is stored with a record. */
export const actorText = ({ type, id }: Actor): string => `${type}:${id}`;

/** Null for what was written before this was kept, and by the operator. */
export const actorFrom = (text: unknown): Actor | null => {
  const [, type, id] = /^([A-Z_]+):(.+)$/.exec(String(text)) ?? [];
  const actor = Actor.safeParse({ type, id });
  return actor.success ? actor.data : null;
};
