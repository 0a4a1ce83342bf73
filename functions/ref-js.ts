import { ApiError } from '../shared/contract/errors.ts';
import { CacheableDocument } from '../shared/http/cacheable-document.ts';
import { plainHeaders, publicAddress } from '../shared/http/public-address.ts';
import { refScript, refScriptFile } from '../shared/web/tracking/ref.at-build.ts';

const headers = {
  'content-type': 'text/javascript; charset=utf-8',
  'x-content-type-options': 'nosniff',
  // For shops that isolate their pages.
  'cross-origin-resource-policy': 'cross-origin',
};
const newest = new CacheableDocument(refScript, headers);
const unchanging = new CacheableDocument(refScript, headers, { isImmutable: true });

/** At `/ref.js`, and for ever at an address that changes with the script. */
export const handler = publicAddress({
  methods: ['GET'],
  handle: async ({ pathParameters, headers: asked }) => {
    const { file } = pathParameters ?? {};
    if (file !== undefined && file !== refScriptFile) throw new ApiError('path_not_found');
    return (file === undefined ? newest : unchanging).respond(asked);
  },
  respondToError: ({ status, headers: more }) => ({
    statusCode: status,
    headers: { ...plainHeaders, 'content-type': 'text/plain; charset=utf-8', ...more },
    body: 'There is no such script.',
  }),
});
