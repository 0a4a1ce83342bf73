import * as z from 'zod';
import { decrypt, encrypt } from '../secrets/encryption.ts';
import type { StoredApiKey } from './repository.ts';

/** The copy of a key that the dashboard shows again. It says whose it is: it is of no use beside another record. */
const KeyCopy = z.object({ programId: z.string(), keyId: z.string(), text: z.string() });

/** A key encrypted with the key that only the dashboard's functions, and the operator, may use. Decisions, section 5. */
export const copyOfKey = (copy: z.output<typeof KeyCopy>): Promise<string> =>
  encrypt('key-copies', JSON.stringify(copy));

/** The key itself, of a record; undefined when no copy of it was kept. */
export const apiKeyText = async (programId: string, { id, copy }: StoredApiKey): Promise<string | undefined> => {
  const opened = copy && (await decrypt('key-copies', copy));
  if (!opened) return undefined;
  const { text, ...owner } = KeyCopy.parse(JSON.parse(opened));
  return owner.programId === programId && owner.keyId === id ? text : undefined;
};
