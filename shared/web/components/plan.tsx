import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { bounds } from '../../contract/bounds.ts';
import type { Plan } from '../../domain/programs/accounts.ts';

/** Whether who looks owns the account whose plan it is: nobody else can change it, or should be asked to. */
export const OwnAccountContext = createContext(true);

const sentences = {
  owner:
    'You are on the FREE plan. Everything in this dashboard works. API keys, webhooks and connected apps come with the ' +
    'BUSINESS plan: ask the people who run this service to change yours.',
  member: 'API keys, webhooks and connected apps are switched off in this program.',
} as const;

/** Why a program on the FREE plan takes no further record. docs/behavior.md#records-on-the-free-plan */
export const fullSentence = (isOwnAccount: boolean): string => {
  const most = `This program has all the ${bounds.recordsOfFreeProgram} records that it may have`;
  const kinds = 'affiliates, links, coupons, codes, referrals, sales, adjustments and payout batches together';
  return isOwnAccount
    ? `${most} on the FREE plan (${kinds}). Delete what you no longer need, which makes room within a minute, or ask the people who run this service for the BUSINESS plan, which has no such limit.`
    : `${most} (${kinds}). Delete what is no longer needed, which makes room within a minute, or ask the owner of the program.`;
};

export const planSentence = (isOwnAccount: boolean): string => sentences[isOwnAccount ? 'owner' : 'member'];

export const PlanNote = ({ plan }: { plan: Plan }) => {
  const isOwnAccount = useContext(OwnAccountContext);
  return plan === 'FREE' ? <p class={isOwnAccount ? 'note warn' : 'note'}>{planSentence(isOwnAccount)}</p> : null;
};
