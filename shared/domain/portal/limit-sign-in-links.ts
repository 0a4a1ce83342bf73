import { createHash } from 'node:crypto';
import { bounds } from '../../contract/bounds.ts';
import { clientBlock } from '../access/source-address.ts';
import { countAgainstLimit, formLimit } from '../programs/count-against-limit.ts';

const explain = (seconds: number): string =>
  `Too many links were asked for. Wait ${seconds} seconds, and look for the mail that we sent before.`;

/** Whether or not there is an affiliate with the email: 429 tells nobody. The source first, which writes nothing once it is over its limit. */
export const limitSignInLinks = async (
  programId: string,
  { email, sourceIp }: { email: string; sourceIp: string },
  now: Date,
): Promise<void> => {
  const ofSource = { endpoint: 'portal links', limitPerMinute: Math.ceil(formLimit() / 6) };
  await countAgainstLimit(`SOURCE#${clientBlock(sourceIp)}`, ofSource, now, explain);
  const address = createHash('sha256').update(`${programId} ${email}`).digest('base64url');
  const ofAddress = { endpoint: 'portal links', limitPerMinute: bounds.signInLinksPerMinute };
  await countAgainstLimit(`PORTAL#${address}`, ofAddress, now, explain);
};
