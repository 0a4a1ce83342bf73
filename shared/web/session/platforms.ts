import { connectorBasePath } from '../../contract/base-paths.ts';
import { ApiError, fieldError } from '../../contract/errors.ts';
import { appUrl } from './app-url.ts';

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** The addresses to enter on an automation platform. docs/behavior.md#connecting-a-platform */
export const platformSetup = () => {
  const segment = process.env.CONNECTOR_PLATFORM ?? '';
  const addressOf = (path: string): string => new URL(path, appUrl()).href;
  return {
    hosts: allowedHosts(),
    authorization: addressOf(`/connect/${segment}/choose-affiliate-program`),
    token: addressOf(`${connectorBasePath(segment)}/token`),
    test: addressOf(`${connectorBasePath(segment)}/test`),
    base: addressOf(connectorBasePath(segment)),
  };
};

export type PlatformSetup = ReturnType<typeof platformSetup>;

const allowedHosts = (): string[] => (process.env.CONNECT_HOSTS ?? '').split(',').filter(Boolean);

/** 404 for any segment but the connector's. docs/behavior.md#connecting-a-platform */
export const expectPlatform = (segment: string): void => {
  if (segment !== process.env.CONNECTOR_PLATFORM) throw new ApiError('path_not_found', 'This page does not exist');
};

/** Strict, because the code gives access to the program. docs/behavior.md#connecting-a-platform */
export const checkedRedirectUri = (text: string): URL => {
  const refuse = (message: string) => fieldError('redirect_uri', `redirect_uri ${message}`);
  // Parsers disagree on backslashes, white space and control characters.
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

export const connectedAddress = (redirectUri: URL, code: string, state: string): string =>
  `${redirectUri.href}?code=${encodeURIComponent(code)}&state=${encodeURIComponent(state)}`;
