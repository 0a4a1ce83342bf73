/** What a form has done, told once on the page that follows it. The address holds only the name. */
const flashes = {
  saved: 'Saved.',
  'affiliate-created': 'The affiliate was created.',
  'affiliate-active': 'The affiliate is active.',
  'affiliate-inactive': 'The affiliate was deactivated.',
  'affiliate-banned': 'The affiliate was banned.',
  'affiliate-deleted': 'The affiliate was deleted. Links, referrals and unpaid sales follow within seconds.',
  'coupon-created': 'The coupon was created. Add its codes below.',
  'coupon-deleted': 'The coupon was deleted. Its codes follow within seconds.',
  'code-created': 'The code was created.',
  'code-deleted': 'The code was deleted.',
  'codes-activated': 'The chosen codes can be redeemed.',
  'codes-deactivated': 'The chosen codes were deactivated.',
  'nothing-chosen': 'Nothing was changed: choose codes first.',
  'sale-created': 'The sale was recorded.',
  'sale-refunded': 'The sale was refunded.',
  'sale-deleted': 'The sale was deleted.',
  'referral-created': 'The referral was created.',
  'referral-deleted': 'The referral was deleted. Unpaid sales follow within seconds.',
  'batch-paid': 'The batch is marked as paid.',
  'batch-deleted': 'The batch was deleted. Its sales are owed again.',
  'missed-sent': 'What was missed is being sent, 50 deliveries a second. They are listed below as they arrive.',
  'member-invited': 'Invited. Tell them to sign in here with that address: no email is sent.',
  'member-removed': 'The member was removed.',
  'link-created': 'The link was added.',
  'link-deleted': 'The link was deleted.',
} as const;

export type FlashName = keyof typeof flashes;

const parameter = 'done';

export const withFlash = (path: string, name: FlashName): string =>
  `${path}${path.includes('?') ? '&' : '?'}${parameter}=${name}`;

export const flashOf = (address: string): string | undefined => {
  const name = new URLSearchParams(address.split('?')[1]).get(parameter) ?? '';
  return Object.hasOwn(flashes, name) ? flashes[name as FlashName] : undefined;
};
