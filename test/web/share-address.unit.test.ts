import { afterEach, expect, it, vi } from 'vitest';
import { shareAddress } from '../../shared/web/pages/share-address.ts';

afterEach(() => vi.unstubAllEnvs());

it('what affiliates share is on the domain of links where the stage has one, and on that of the application else', () => {
  vi.stubEnv('APP_URL', 'https://app.example.com');
  expect(shareAddress({ id: 'id', handle: 'shop' }, 'Amara')).toBe('https://app.example.com/r/shop/Amara');
  vi.stubEnv('LINK_URL', 'https://go.example.com');
  expect(shareAddress({ id: 'id', handle: 'shop' }, 'Amara')).toBe('https://go.example.com/shop/Amara');
  expect(shareAddress({ id: 'id', handle: null }, 'Amara')).toBe('https://go.example.com/id/Amara');
});
