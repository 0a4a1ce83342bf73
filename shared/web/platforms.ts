import { ApiError, fieldError } from '../contract/errors.ts';

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** The hosts that may connect, set at deploy; comma-separated in the environment. */
const allowedHosts = (): string[] => (process.env.CONNECT_HOSTS ?? '').split(',').filter(Boolean);

/** 404 unless the path's segment is the one of the connector, which is set at deploy. Decisions, section 6. */
export const expectPlatform = (segment: string): void => {
  if (segment !== process.env.CONNECTOR_PLATFORM)
    throw new ApiError('path_not_found', 'There is nothing at this address');
};

/**
 * The address that a platform wants the browser back at. 400 unless it is https, without credentials, query or fragment,
 * and its host is one of those allowed to connect: whoever gets the code has the program. A loopback host that is on the
 * list may be addressed by http. Decisions, section 6.
 */
export const checkedRedirectUri = (text: string): URL => {
  const refuse = (message: string) => fieldError('redirect_uri', `redirect_uri ${message}`);
  // A backslash, white space or a control character is read in different ways by different parsers.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text) || !URL.canParse(text)) throw refuse('must be an absolute https address');
  const address = new URL(text);
  if (text.includes('?')) throw refuse('must not have a query');
  if (text.includes('#')) throw refuse('must not have a fragment');
  if (address.username || address.password || /^[^/]*\/\/[^/]*@/.test(text)) throw refuse('must not have credentials');
  const isLoopback = loopbackHosts.includes(address.hostname);
  if (address.protocol !== 'https:' && !(address.protocol === 'http:' && isLoopback))
    throw refuse('must be an absolute https address');
  const isAllowed = allowedHosts().includes(address.hostname) && (isLoopback || address.port === '');
  if (!isAllowed) throw refuse(`leads to ${address.host}, which is not allowed to connect here`);
  return address;
};

/** Where the browser is sent after a confirmation. Specification, "Connector flow", step 3. */
export const connectedAddress = (redirectUri: URL, code: string, state: string): string =>
  `${redirectUri.href}?code=${encodeURIComponent(code)}&state=${encodeURIComponent(state)}`;
