import * as z from 'zod';
import { copyStatusToLinks } from '../shared/domain/affiliates/copy-status-to-links.ts';
import { takeOutLink } from '../shared/domain/affiliates/link-entry.ts';
import { connectCode, connectLink, disconnectCode } from '../shared/domain/promotional-codes/link-connections.ts';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';
import { send } from '../shared/platform/queue/send.ts';

const Message = z.union([
  z.strictObject({ programId: z.string(), codeId: z.string(), affiliateId: z.string(), deleted: z.literal(true) }),
  z.strictObject({ programId: z.string(), linkId: z.string(), affiliateId: z.string(), deleted: z.literal(true) }),
  z.strictObject({ programId: z.string(), codeId: z.string() }),
  z.strictObject({ programId: z.string(), affiliateId: z.string(), linkId: z.string().optional() }),
  z.strictObject({ programId: z.string(), linkId: z.string(), after: z.string().optional() }),
]);

export const handler = queueWorker('connect-promotional-code', Message, async (message) => {
  const { programId } = message;
  if ('deleted' in message) {
    const { affiliateId } = message;
    return 'codeId' in message
      ? disconnectCode(programId, message.codeId, affiliateId)
      : takeOutLink(programId, { id: message.linkId, affiliateId }, new Date());
  }
  if ('affiliateId' in message) return copyStatusToLinks(programId, message.affiliateId, message.linkId);
  if ('codeId' in message) return connectCode(programId, message.codeId);
  // A link of an affiliate with many codes is connected a page at a time: the rest is another message.
  const after = await connectLink(programId, message.linkId, new Date(), message.after);
  if (after) await send('code-connections', { programId, linkId: message.linkId, after }, programId);
});
