/** Messages on the page that follows a form. The address holds only the name of the message. */
const flashes = {
  saved: 'Saved.',
  'affiliate-created': 'The affiliate was created.',
  'affiliate-active': 'The affiliate is active.',
  'affiliate-inactive': 'The affiliate was deactivated.',
  'affiliate-banned': 'The affiliate was banned.',
  'application-approved': 'The application was approved: the affiliate is active.',
  'application-declined': 'The application was declined.',
  'affiliate-deleted': 'The affiliate was deleted. Their links, referrals and unpaid sales are deleted within seconds.',
  'group-created': 'The group was created. Put affiliates into it on their pages, or move those of another group.',
  'group-deleted': 'The group was deleted. Its affiliates are moved within seconds.',
  'affiliates-moving': 'The affiliates are moved here within seconds.',
  'coupon-created': 'The coupon was created. Add its codes below.',
  'coupon-deleted': 'The coupon was deleted. Its codes are deleted within seconds.',
  'code-created': 'The code was created.',
  'code-deleted': 'The code was deleted.',
  'codes-activated': 'The selected codes were activated.',
  'codes-deactivated': 'The selected codes were deactivated.',
  'nothing-chosen': 'Nothing was selected, so nothing was changed.',
  'sale-created': 'The sale was recorded.',
  'sale-refunded': 'The sale was refunded.',
  'sale-deleted': 'The sale was deleted.',
  'sales-approved': 'The sales were approved. The next payout batch may pay their commissions.',
  'sales-rejected': 'The sales were rejected. They earn nothing.',
  'sales-not-all-decided': 'Some of the sales were decided or deleted by someone else before, and are unchanged.',
  'referral-created': 'The referral was created.',
  'referral-deleted': 'The referral was deleted. Their unpaid sales are deleted within seconds.',
  'batch-paid': 'The batch is marked as paid.',
  'batch-deleted': 'The batch was deleted. Its commissions are unpaid again.',
  'missed-sent': 'Missed events are being sent, up to 50 per second. They appear below.',
  'member-invited': 'The member was invited. No email is sent: ask them to sign in here with that address and accept.',
  'member-invited-by-mail': 'The member was invited, and gets a mail with the invitation.',
  'invitation-sent-again': 'The invitation is sent again, at most once in five minutes.',
  'test-mail-sent': 'The test is sent to your address, at most ten an hour.',
  'member-removed': 'The member was removed.',
  'invitation-accepted': 'You accepted the invitation.',
  'invitation-declined': 'You declined the invitation.',
  'program-left': 'You left the program.',
  'program-deleted': 'The program was deleted. Its records are removed within minutes.',
  'payout-details-mailed': 'We have sent you a mail. Your details change once you follow its link and confirm them.',
  'link-created': 'The link was added.',
  'link-deleted': 'The link was deleted.',
  'asset-added': 'The asset was added. Affiliates see it in the portal.',
  'asset-deleted': 'The asset was deleted. Other sites that show its image may do so for some days.',
} as const;

export type FlashName = keyof typeof flashes;

const parameter = 'done';

export const withFlash = (path: string, name: FlashName): string =>
  `${path}${path.includes('?') ? '&' : '?'}${parameter}=${name}`;

export const flashOf = (address: string): string | undefined => {
  const name = new URLSearchParams(address.split('?')[1]).get(parameter) ?? '';
  return Object.hasOwn(flashes, name) ? flashes[name as FlashName] : undefined;
};
