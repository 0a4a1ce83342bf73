const dotAtom = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const maxLocalCharacters = 64;
const maxCharacters = 254;

/** What may stand in a domain before it is converted: no separator of a URL, no address in brackets. */
const domainText = /^[^\s\p{Cc}/?#@:[\]\\%]+$/u;
/** At least two labels of letters, digits and hyphens; the last one is no number, which excludes IP addresses. */
const asciiDomain = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/;

/** Only A to Z: lower-casing other scripts would make different addresses equal, such as those with a Kelvin sign. */
const foldAscii = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

const canonicalDomain = (domain: string): string | undefined => {
  const address = `http://${domain}`;
  if (!domainText.test(domain) || !URL.canParse(address)) return undefined;
  const { hostname } = new URL(address);
  return asciiDomain.test(hostname) ? hostname : undefined;
};

/** The form in which an email is stored and compared; undefined if it is invalid. docs/behavior.md#emails */
export const canonicalEmail = (text: string): string | undefined => {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(at, 0));
  if (local.length > maxLocalCharacters || !dotAtom.test(local)) return undefined;
  const domain = canonicalDomain(trimmed.slice(at + 1));
  if (domain === undefined) return undefined;
  const email = `${foldAscii(local)}@${domain}`;
  return email.length <= maxCharacters ? email : undefined;
};
