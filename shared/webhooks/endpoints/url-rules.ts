import { fieldError } from '../../contract/errors.ts';
import { isPublicAddress, literalAddressOf } from './address-check.ts';

/** https by its usual port and its usual other one. Decisions, section 4. */
const allowedPorts: ReadonlySet<string> = new Set(['', '443', '8443']);

/** The hosts that WEBHOOK_EXTRA_HOSTS names: http, any port and loopback are allowed there. Empty unless set at deploy. */
export const extraHosts = (setting = process.env.WEBHOOK_EXTRA_HOSTS ?? ''): ReadonlySet<string> =>
  new Set(
    setting
      .split(',')
      .map((host) => host.trim().toLowerCase())
      .filter(Boolean),
  );

/** Whether `hosts` has the host of the URL. */
export const isExtraHost = (url: URL, hosts: ReadonlySet<string>): boolean =>
  hosts.has(url.hostname) || hosts.has(url.hostname.replace(/^\[|\]$/g, ''));

const hasNoPublicName = (hostname: string): boolean =>
  !hostname.replace(/\.$/, '').includes('.') || /\.(localhost|local|internal)\.?$/.test(hostname);

/**
 * Why no webhook may be sent to a URL, as the second half of a sentence; undefined when it may. What a name resolves to
 * is checked when it is dialled. Decisions, section 4.
 */
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

/** 400 for an address that webhooks may not go to: when an endpoint is made, and when its address changes. */
export const refuseUrl = (url: string): void => {
  const refusal = urlRefusal(url, extraHosts());
  if (refusal) throw fieldError('url', `url ${refusal}`);
};
