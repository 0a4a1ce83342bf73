import { describe, expect, it } from 'vitest';
import { post } from '../../shared/webhooks/delivery/send.ts';
import { isPublicAddress } from '../../shared/webhooks/endpoints/address-check.ts';
import { extraHosts, urlRefusal } from '../../shared/webhooks/endpoints/url-rules.ts';

const none = extraHosts('');

const blocked = [
  ['0.0.0.0', 'unspecified'],
  ['10.0.0.1', 'private'],
  ['10.255.255.255', 'private'],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['100.127.255.255', 'carrier-grade NAT'],
  ['127.0.0.1', 'loopback, and the Lambda runtime API'],
  ['127.255.255.254', 'loopback'],
  ['169.254.169.254', 'instance metadata'],
  ['169.254.170.2', 'container credentials'],
  ['169.254.100.1', 'the Lambda runtime API'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.1', 'protocol assignments'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', '6to4 relay'],
  ['192.168.0.1', 'private'],
  ['192.168.255.255', 'private'],
  ['198.18.0.1', 'benchmarking'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::7f00:1', '::/96'],
  ['::127.0.0.1', '::/96'],
  ['::ffff:127.0.0.1', 'mapped'],
  ['::ffff:8.8.8.8', 'mapped'],
  ['::ffff:0:7f00:1', 'translated'],
  ['64:ff9b::7f00:1', 'NAT64'],
  ['64:ff9b:1::1', 'local NAT64'],
  ['100::1', 'discard'],
  ['2001::1', 'Teredo'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', '6to4'],
  ['fc00::1', 'unique local'],
  ['fd00:ec2::254', 'instance metadata'],
  ['fe80::1', 'link-local'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
] as const;

const urlOf = (address: string) => `https://${address.includes(':') ? `[${address}]` : address}/hooks`;

/** What comes of sending to a URL. Node looks up no name for a literal: nothing but our own check stands before it. */
const errorOfSending = async (url: string, hosts = none): Promise<string | null> =>
  (await post({ url, headers: {}, body: '{}' }, { extraHosts: hosts, deadlineMilliseconds: 2000 })).error;

describe('an endpoint is refused, and nothing is dialled, at', () => {
  it.each(blocked)('%s (%s)', async (address) => {
    expect(isPublicAddress(address)).toBe(false);
    expect(urlRefusal(urlOf(address), none)).toBe('must be a public address');
    expect(await errorOfSending(urlOf(address))).toBe('the address must be a public address');
  });

  it.each([
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://017700000001/',
    'https://①②⑦.0.0.1/',
    'https://[::ffff:127.0.0.1]/',
    'https://[0:0:0:0:0:ffff:7f00:1]/',
    'https://localhost/',
    'https://localhost./',
  ])('%s, which is 127.0.0.1 in disguise', async (url) => {
    expect(urlRefusal(url, none)).toBe('must be a public address');
    expect(await errorOfSending(url)).toBe('the address must be a public address');
  });

  it.each([
    ['http://127.0.0.1:9001/', 'must begin with https://'],
    ['https://169.254.100.1:9001/', 'must use port 443 or 8443'],
    ['https://user:word@example.com/', 'must not contain a user name or password'],
    ['https://example.com:9000/', 'must use port 443 or 8443'],
  ])('%s, which %s', async (url, refusal) => {
    expect(urlRefusal(url, none)).toBe(refusal);
    expect(await errorOfSending(url)).toBe(`the address ${refusal}`);
  });

  it.each(['169.254.169.254', '10.0.0.1', 'fd00:ec2::254'])(
    '%s even where the operator has listed it: that list opens loopback alone',
    async (address) => {
      expect(await errorOfSending(urlOf(address), extraHosts(address))).toBe(
        'the host has an address that is not public',
      );
    },
  );
});
