import { type LookupAddress, lookup as lookupInSystem } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The part of IPv6 that is routed publicly. Everything else is special, `::/96` and the mapped ranges included. */
const routedIPv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is a public unicast one: nothing private, loopback, link-local, carrier-grade NAT, mapped, 6to4,
 * NAT64, Teredo or reserved. Decisions, section 4.
 */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(routedIPv6);
};

const isLoopback = (text: string): boolean => ipaddr.isValid(text) && ipaddr.parse(text).range() === 'loopback';

/** The address that a URL names without a name, or undefined. The URL parser has already made `0x7f.1` plain. */
export const literalAddressOf = (url: URL): string | undefined => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(host) ? host : undefined;
};

/** Thrown instead of a connection. It does not say the address: that would tell callers about our network. */
export class BlockedAddress extends Error {
  override name = 'BlockedAddress';
  constructor() {
    super('the host has an address that is not public');
  }
}

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/**
 * Every address of a name, asked over sockets: the system's own look-up has four threads, which four names with dead
 * name servers would keep from everybody else.
 */
const resolveByDns: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: 2500, tries: 2 });
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
  return [
    ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
    ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
  ];
};

/** As the machine sees a name, `/etc/hosts` included: for the hosts that the operator listed. */
const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookupInSystem(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

/** Throws BlockedAddress unless every one of the addresses may be dialled. */
export const refuseBlocked = (addresses: readonly string[], allowLoopback: boolean): void => {
  const allowed = (address: string) => isPublicAddress(address) || (allowLoopback && isLoopback(address));
  if (addresses.length === 0 || !addresses.every(allowed)) throw new BlockedAddress();
};

/**
 * The look-up of a connection. What it answers is what is dialled, so a name cannot change between check and use; one
 * bad address among good ones refuses the name.
 */
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
