import { MailMessage } from '../shared/contract/mails.ts';
import { deliverMail } from '../shared/mails/deliver.ts';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';

export const handler = queueWorker('send-mail', MailMessage, async (message) => {
  await deliverMail(message, new Date());
});
