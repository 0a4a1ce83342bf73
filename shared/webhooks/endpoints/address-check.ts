import { type LookupAddress, lookup as lookupInSystem } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The publicly routed part of IPv6; all else is special, `::/96` and mapped ranges included. */
const routedIPv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** See docs/behavior.md#endpoint-addresses */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(routedIPv6);
};

const isLoopback = (text: string): boolean => ipaddr.isValid(text) && ipaddr.parse(text).range() === 'loopback';

/** The URL parser has normalized forms such as `0x7f.1`. */
export const literalAddressOf = (url: URL): string | undefined => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(host) ? host : undefined;
};

/** Without the address, which would tell callers about our network. */
export class BlockedAddress extends Error {
  override name = 'BlockedAddress';
  constructor() {
    super('the host has an address that is not public');
  }
}

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** Over sockets: the system's lookup has four threads, which four dead name servers would block for everybody. */
const resolveByDns: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: 2500, tries: 2 });
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
  return [
    ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
    ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
  ];
};

const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookupInSystem(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

export const refuseBlocked = (addresses: readonly string[], allowLoopback: boolean): void => {
  const allowed = (address: string) => isPublicAddress(address) || (allowLoopback && isLoopback(address));
  if (addresses.length === 0 || !addresses.every(allowed)) throw new BlockedAddress();
};

/** The checked address is dialed, so the name cannot change in between. docs/behavior.md#endpoint-addresses */
export const checkedLookup =
  (allowLoopback: boolean, resolve: Resolve = allowLoopback ? resolveBySystem : resolveByDns): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        try {
          refuseBlocked(
            addresses.map(({ address }) => address),
            allowLoopback,
          );
        } catch (error) {
          callback(error instanceof Error ? error : new BlockedAddress(), []);
          return;
        }
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, []),
    );
  };
