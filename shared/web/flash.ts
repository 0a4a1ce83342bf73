/** What a form has done, told once on the page that follows it. The address holds only the name. */
const flashes = {
  saved: 'Saved.',
  'affiliate-created': 'The affiliate was created.',
  'affiliate-active': 'The affiliate is active.',
  'affiliate-inactive': 'The affiliate was deactivated.',
  'affiliate-banned': 'The affiliate was banned.',
  'affiliate-deleted': 'The affiliate was deleted. Links, referrals and unpaid sales follow within seconds.',
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
