import type { Plan } from '../domain/programs/accounts.ts';

export const planSentence =
  'This account is on the FREE plan, which does not include API access: API requests return 403, no webhooks are sent, and ' +
  'webhook endpoints, test events and connected apps are not available.';

export const PlanNote = ({ plan }: { plan: Plan }) =>
  plan === 'FREE' ? <p class="note warn">{planSentence}</p> : null;
