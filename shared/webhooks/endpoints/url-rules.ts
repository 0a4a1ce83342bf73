import { fieldError } from '../../contract/errors.ts';
import { isPublicAddress, literalAddressOf } from './address-check.ts';

/** See docs/behavior.md#endpoint-urls */
const allowedPorts: ReadonlySet<string> = new Set(['', '443', '8443']);

/** From WEBHOOK_EXTRA_HOSTS; empty unless set at deploy. */
export const extraHosts = (setting = process.env.WEBHOOK_EXTRA_HOSTS ?? ''): ReadonlySet<string> =>
  new Set(
    setting
      .split(',')
      .map((host) => host.trim().toLowerCase())
      .filter(Boolean),
  );

export const isExtraHost = (url: URL, hosts: ReadonlySet<string>): boolean =>
  hosts.has(url.hostname) || hosts.has(url.hostname.replace(/^\[|\]$/g, ''));

const hasNoPublicName = (hostname: string): boolean =>
  !hostname.replace(/\.$/, '').includes('.') || /\.(localhost|local|internal)\.?$/.test(hostname);

/** The second half of a sentence, or undefined. The resolved address is checked when it is dialed. */
export const urlRefusal = (text: string, hosts: ReadonlySet<string>): string | undefined => {
  if (!URL.canParse(text)) return 'must be a URL such as https://example.com/webhooks';
  const url = new URL(text);
  const extra = isExtraHost(url, hosts);
  if (url.protocol !== 'https:' && !(extra && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username || url.password) return 'must not contain a user name or password';
  if (extra) return undefined;
  if (!allowedPorts.has(url.port)) return 'must use port 443 or 8443';
  const literal = literalAddressOf(url);
  if (literal ? !isPublicAddress(literal) : hasNoPublicName(url.hostname)) return 'must be a public address';
  return undefined;
};

/** 400 for a refused URL. docs/behavior.md#endpoint-urls */
export const refuseUrl = (url: string): void => {
  const refusal = urlRefusal(url, extraHosts());
  if (refusal) throw fieldError('url', `url ${refusal}`);
};
