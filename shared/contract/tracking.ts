import type { Need } from './needs.ts';

/** An address for visitors of a program's site: no key and no session. docs/tracking.md */
export interface PublicAddress {
  readonly id: string;
  readonly path: `/${string}`;
  readonly function: string;
  readonly needs: readonly Need[];
}

const findsLinks = [
  'handles:read',
  'PROGRAM:read',
  'LINK:read',
  'AFFILIATE:read',
  'click-ids:use',
  'visitor-salts:read',
  'visitor-salts:change',
  'clicks:send',
] as const satisfies readonly Need[];

export const followLink = {
  id: 'followLink',
  path: '/r/{handle}/{link}',
  function: 'redirect',
  needs: findsLinks,
} as const satisfies PublicAddress;

export const publicAddresses = [
  followLink,
  {
    id: 'registerClick',
    path: '/track/clicks',
    function: 'track-clicks',
    needs: [...findsLinks, 'PROMOTIONAL_CODE:read', 'PROMOTIONAL_CODE:list:GSI2'],
  },
  { id: 'readScript', path: '/ref.js', function: 'ref-js', needs: [] },
  { id: 'readScriptVersion', path: '/ref/{file}', function: 'ref-js', needs: [] },
] as const satisfies readonly PublicAddress[];
