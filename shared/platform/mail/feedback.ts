import * as z from 'zod';
import { canonicalEmail } from '../../contract/email.ts';
import type { SuppressionReason } from '../../contract/mails.ts';
import { suppressAddress } from './addresses.ts';

const recipients = z.array(z.object({ emailAddress: z.string() }));

/** What SES says of a mail by way of its configuration set, as far as it is read. */
export const MailFeedback = z.discriminatedUnion('eventType', [
  z.object({
    eventType: z.literal('Bounce'),
    bounce: z.object({ bounceType: z.string(), bouncedRecipients: recipients }),
  }),
  z.object({
    eventType: z.literal('Complaint'),
    complaint: z.object({ complaintFeedbackType: z.string().nullish(), complainedRecipients: recipients }),
  }),
]);
export type MailFeedback = z.output<typeof MailFeedback>;

/** What SES publishes once, when it is told where to publish. It is no JSON. */
export const isValidation = (body: string): boolean =>
  body === 'Successfully validated SNS topic for Amazon SES event publishing.';

const suppressedBy = (feedback: MailFeedback): { reason: SuppressionReason; found: z.output<typeof recipients> } => {
  if (feedback.eventType === 'Complaint') {
    const { complaintFeedbackType, complainedRecipients } = feedback.complaint;
    // The owner of the address said that a mail in the spam folder is not spam.
    return { reason: 'COMPLAINT', found: complaintFeedbackType === 'not-spam' ? [] : complainedRecipients };
  }
  const { bounceType, bouncedRecipients } = feedback.bounce;
  // A full mailbox may have room again.
  return { reason: 'BOUNCE', found: bounceType === 'Permanent' ? bouncedRecipients : [] };
};

/** Keeps who is not to be mailed again, by any program. A message that comes twice changes nothing. docs/behavior.md#suppressed-addresses */
export const handleFeedback = async (feedback: MailFeedback, now: Date): Promise<void> => {
  const { reason, found } = suppressedBy(feedback);
  const addresses = new Set(found.flatMap(({ emailAddress }) => canonicalEmail(emailAddress) ?? []));
  await Promise.all([...addresses].map((address) => suppressAddress(address, reason, now)));
};
