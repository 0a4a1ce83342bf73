import type { Plan } from '../domain/programs/accounts.ts';

/** What an account on the FREE plan lacks. */
export const planSentence =
  'This account is on the FREE plan, which does not include API access: API requests return 403, no webhooks are sent, and ' +
  'webhook endpoints, test events and connected apps are not available.';

/** Says so on a page that is about them. */
export const PlanNote = ({ plan }: { plan: Plan }) => (plan === 'FREE' ? <p class="note">{planSentence}</p> : null);
