import { handleFeedback, isValidation, MailFeedback } from '../shared/platform/mail/feedback.ts';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';

export const handler = queueWorker('mail-feedback', MailFeedback, (feedback) => handleFeedback(feedback, new Date()), {
  isIgnored: isValidation,
});
