import { beforeEach, describe, expect, it, vi } from 'vitest';
import { checkedRedirectUri } from '../../shared/web/session/platforms.ts';

const host = 'hooks.platform.example';
beforeEach(() => {
  vi.stubEnv('CONNECT_HOSTS', `${host},127.0.0.1`);
});

describe('the address that gets the code of a program', () => {
  it.each([`https://${host}/callback`, `https://${host.toUpperCase()}/`, 'http://127.0.0.1:8080/callback'])(
    'may be %s',
    (text) => {
      expect(checkedRedirectUri(text).href).toBe(new URL(text).href);
    },
  );

  it.each([
    `https://evil${host}/callback`,
    `https://evil-${host}/callback`,
    `https://sub.${host}/callback`,
    `https://${host}.evil.example/callback`,
    'https://platform.example/callback',
    'https://evil.example/hooks.platform.example',
    `https://${host}:8443/callback`,
    `http://${host}/callback`,
    `https://@${host}/callback`,
    `https://:@${host}/callback`,
    `https:user@${host}/callback`,
  ])('is refused where only a part of it is allowed: %s', (text) => {
    expect(() => checkedRedirectUri(text)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});
