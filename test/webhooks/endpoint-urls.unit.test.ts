import { describe, expect, it, vi } from 'vitest';
import { isPublicAddress } from '../../shared/webhooks/endpoints/address-check.ts';
import { extraHosts, refuseUrl, urlRefusal } from '../../shared/webhooks/endpoints/url-rules.ts';

const none = extraHosts('');
const local = extraHosts('localhost, 127.0.0.1,[::1]');

describe('a public address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111'])('is taken: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
    const host = address.includes(':') ? `[${address}]` : address;
    expect(urlRefusal(`https://${host}/hooks`, none)).toBeUndefined();
  });
});

describe('URLs of endpoints', () => {
  it.each([
    ['example.com/hooks', 'must be a URL such as https://example.com/webhooks'],
    ['http://example.com/hooks', 'must begin with https://'],
    ['ftp://example.com/hooks', 'must begin with https://'],
    ['https://user@example.com/', 'must not contain a user name or password'],
    ['https://user:word@example.com/', 'must not contain a user name or password'],
    ['https://example.com:9000/', 'must use port 443 or 8443'],
    ['https://example.com:80/', 'must use port 443 or 8443'],
    ['https://localhost/', 'must be a public address'],
    ['https://receiver.localhost/', 'must be a public address'],
    ['https://intranet/', 'must be a public address'],
    ['https://intranet./', 'must be a public address'],
    ['https://receiver.local/', 'must be a public address'],
    ['https://receiver.internal./', 'must be a public address'],
    ['https://:word@example.com/', 'must not contain a user name or password'],
  ])('%s is refused: %s', (url, refusal) => expect(urlRefusal(url, none)).toBe(refusal));

  it.each([
    'https://example.com',
    'https://example.com:443/a?b=c',
    'https://example.com:8443/',
    'https://EXAMPLE.com./x',
    'https://receiver.internal.example.com/',
  ])('%s is fine', (url) => expect(urlRefusal(url, none)).toBeUndefined());

  it.each(['http://localhost:4000/', 'http://127.0.0.1:80/', 'https://localhost:9443/', 'http://[::1]:4000/'])(
    '%s is fine where its host is on the list of extra hosts',
    (url) => expect(urlRefusal(url, local)).toBeUndefined(),
  );

  it('on that list are without a user name too', () => {
    expect(urlRefusal('http://user@localhost/', local)).toBe('must not contain a user name or password');
  });

  it('are read from a list, whose spaces, capitals and empty entries do not count', () => {
    expect([...extraHosts(' LocalHost ,,127.0.0.1, ')]).toEqual(['localhost', '127.0.0.1']);
    expect([...extraHosts('')]).toEqual([]);
    vi.stubEnv('WEBHOOK_EXTRA_HOSTS', 'localhost');
    expect([...extraHosts()]).toEqual(['localhost']);
    vi.stubEnv('WEBHOOK_EXTRA_HOSTS', undefined);
    expect([...extraHosts()]).toEqual([]);
    vi.unstubAllEnvs();
  });

  it('that are refused are a 400 that names the field', () => {
    vi.stubEnv('WEBHOOK_EXTRA_HOSTS', 'localhost');
    expect(() => refuseUrl('http://example.com')).toThrow('url must begin with https://');
    expect(() => refuseUrl('https://example.com')).not.toThrow();
    expect(() => refuseUrl('http://localhost:4000')).not.toThrow();
    vi.unstubAllEnvs();
  });

  it('does not open other hosts by that list', () => {
    expect(urlRefusal('http://example.com/', local)).toBe('must begin with https://');
    expect(urlRefusal('https://127.0.0.2/', local)).toBe('must be a public address');
    expect(urlRefusal('ftp://localhost/', local)).toBe('must begin with https://');
  });
});
