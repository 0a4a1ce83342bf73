import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  BlockedAddress,
  checkedLookup,
  isPublicAddress,
  literalAddressOf,
} from '../../shared/webhooks/endpoints/address-check.ts';

it.each([
  { text: '8.8.8.8', isPublic: true },
  { text: '2606:4700:4700::1111', isPublic: true },
  { text: '127.0.0.1', isPublic: false },
  { text: '::1', isPublic: false },
  { text: '3ffe::1', isPublic: true },
  { text: '4000::1', isPublic: false },
  { text: '1fff::1', isPublic: false },
  { text: 'example.com', isPublic: false },
  { text: '', isPublic: false },
])('the address $text is public: $isPublic', ({ text, isPublic }) => {
  expect(isPublicAddress(text)).toBe(isPublic);
});

it.each([
  { url: 'https://[::1]/', literal: '::1' },
  { url: 'https://0x7f.1/', literal: '127.0.0.1' },
  { url: 'https://example.com/', literal: undefined },
])('the literal address of $url is $literal', ({ url, literal }) => {
  expect(literalAddressOf(new URL(url))).toBe(literal);
});

describe('the look-up of a connection', () => {
  const resolving = (...addresses: string[]) => {
    const response: LookupAddress[] = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    return async () => response;
  };
  const lookUp = (allowLoopback: boolean, addresses: string[], all: boolean) =>
    new Promise((resolve, reject) => {
      checkedLookup(allowLoopback, resolving(...addresses))('example.com', { all }, (error, address, family) =>
        error ? reject(error) : resolve(all ? address : [address, family]),
      );
    });

  it('returns public addresses, in both forms that Node asks for', async () => {
    const both = ['8.8.8.8', '2606:4700:4700::1111'];
    await expect(lookUp(false, both, false)).resolves.toEqual(['8.8.8.8', 4]);
    await expect(lookUp(false, both, true)).resolves.toEqual(await resolving(...both)());
  });

  it('refuses a name with one good and one bad address', async () => {
    await expect(lookUp(false, ['8.8.8.8', '10.0.0.1'], true)).rejects.toThrow(BlockedAddress);
    await expect(lookUp(false, ['2606:4700:4700::1111', '::1'], false)).rejects.toThrow(BlockedAddress);
    await expect(lookUp(false, [], true)).rejects.toThrow(BlockedAddress);
  });

  it('allows loopback, and nothing else that is private, for a listed host', async () => {
    await expect(lookUp(true, ['127.0.0.1', '::1'], true)).resolves.toHaveLength(2);
    await expect(lookUp(true, ['169.254.169.254'], true)).rejects.toThrow(BlockedAddress);
  });
});

describe('the look-up of a public host', () => {
  const lookUp = (ipv4: string[] | Error, ipv6: string[] | Error) => {
    const respond = async (given: string[] | Error) => {
      if (given instanceof Error) throw given;
      return given;
    };
    vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation((() => respond(ipv4)) as never);
    vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation((() => respond(ipv6)) as never);
    return new Promise((resolve, reject) => {
      checkedLookup(false)('example.com', { all: true }, (error, addresses) =>
        error ? reject(error) : resolve(addresses),
      );
    });
  };
  const noSuchName = new Error('no such name');
  const v4 = { address: '8.8.8.8', family: 4 };
  const v6 = { address: '2606:4700:4700::1111', family: 6 };

  it('has the addresses of both families, or of the one that there is', async () => {
    expect(await lookUp([v4.address], [v6.address])).toEqual([v4, v6]);
    expect(await lookUp([v4.address], noSuchName)).toEqual([v4]);
    expect(await lookUp(noSuchName, [v6.address])).toEqual([v6]);
    await expect(lookUp(noSuchName, new Error('other'))).rejects.toBe(noSuchName);
  });

  it('refuses a private address of either family', async () => {
    await expect(lookUp(['10.0.0.1'], [v6.address])).rejects.toThrow(BlockedAddress);
    await expect(lookUp([v4.address], ['::1'])).rejects.toThrow(BlockedAddress);
    await expect(lookUp(['127.0.0.1'], noSuchName)).rejects.toThrow(BlockedAddress);
  });
});
