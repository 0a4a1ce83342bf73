import { domainOf } from '../../platform/text/folded-email.ts';

const furtherProviders = ['fastmail.com', 'tuta.com', 'tutanota.com'];

const isOfProvider = async (domains: readonly string[]): Promise<boolean> => {
  const { default: providers } = await import('email-providers/all.json', { with: { type: 'json' } });
  return domains.some((domain) => providers.includes(domain) || furtherProviders.includes(domain));
};

/** By the registrable domain, which is `acme.co.uk` for `mail.acme.co.uk`. False for those of mail providers, where anybody has an address. */
export const isSameCompany = async (one: string, other: string): Promise<boolean> => {
  const domains = [domainOf(one), domainOf(other)] as const;
  const [topLevel] = domains.map((domain) => domain.split('.').at(-1));
  if (!domains[1].endsWith(`.${topLevel}`)) return false;
  // The lists are large, and most programs need neither, so they are loaded for this rule alone.
  const { getDomain } = await import('tldts');
  const [registrable, another] = domains.map((domain) => getDomain(domain));
  if (!registrable || registrable !== another) return false;
  return !(await isOfProvider([...domains, registrable]));
};
