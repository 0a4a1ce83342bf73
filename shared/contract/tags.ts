import type { DeclaredOperation } from './operations.ts';

/** What each group of operations is about. */
export const tagDescriptions: Readonly<Record<DeclaredOperation['tag'], string>> = {
  Affiliates: 'The people who recommend the program and earn a commission.',
  'Portal links': 'Addresses that sign an affiliate in to the portal of the program.',
  Groups: 'How affiliates earn: each is in one group, and every program has a default group.',
  Referrals: 'The people whom affiliates brought.',
  Sales: 'What customers paid, with the commission that an affiliate earns from it. A sale can redeem a code.',
  Links: 'The links of affiliates: a word that an address carries in `ref`.',
  Coupons: 'Discounts. Customers redeem a coupon by one of its promotional codes.',
  'Promotional codes': 'The texts that customers enter, each of one coupon and of one affiliate or none.',
  'Payout batches': 'What is owed to affiliates for a period, prepared and marked as paid together.',
  Webhooks: 'The addresses that receive events, signed by Standard Webhooks.',
  'Webhook deliveries': 'The log of every event that was sent to an endpoint, and manual retries.',
  Events: 'What happened in the program in the last 30 days.',
  'Audit log': 'Every change of the last 400 days: who made it, and what was there before and after.',
  Statistics: 'What happened by day or month: clicks, referrals, sales and amounts.',
  Exports: 'The whole program as a file.',
  Erasures: 'The removal of a person from the program, by email.',
  Program: 'The program that the key belongs to.',
  Documentation: 'This description.',
  Connection: 'Connecting an automation platform to a program.',
  Subscriptions: 'The webhooks of one connection.',
};
