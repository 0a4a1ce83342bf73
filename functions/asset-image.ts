import { ApiError } from '../shared/contract/errors.ts';
import { readPublicImage } from '../shared/domain/assets/public-image.ts';
import { plainHeaders, publicAddress } from '../shared/http/public-address.ts';

/** An image never changes at its address. How long it may still be shown after it was deleted. docs/behavior.md#assets */
const cacheControl = 'public, max-age=604800';

const imageHeaders = {
  'cache-control': cacheControl,
  'x-content-type-options': 'nosniff',
  'content-disposition': 'inline',
  // Opened by itself, it is a document of this application's address.
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
};

/** For any site that shows it. */
export const handler = publicAddress({
  methods: ['GET'],
  handle: async ({ pathParameters, headers }) => {
    const { programId = '', file = '' } = pathParameters ?? {};
    const found = await readPublicImage(programId, file, headers['if-none-match']);
    if (!found) throw new ApiError('path_not_found');
    const known = { ...imageHeaders, etag: found.etag };
    if (!found.content) return { statusCode: 304, headers: known };
    return {
      statusCode: 200,
      headers: { ...known, 'content-type': found.contentType },
      body: found.content.toString('base64'),
      isBase64Encoded: true,
    };
  },
  respondToError: ({ status, headers }) => ({
    statusCode: status,
    headers: { ...plainHeaders, 'content-type': 'text/plain; charset=utf-8', ...headers },
    body: status < 500 ? 'There is no such image.' : 'The image cannot be read at the moment.',
  }),
});
