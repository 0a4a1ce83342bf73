import { ApiError } from '../shared/contract/errors.ts';
import { followLink } from '../shared/domain/tracking/follow-link.ts';
import { plainPage, plainPageHeaders } from '../shared/http/plain-page.ts';
import { plainHeaders, publicAddress } from '../shared/http/public-address.ts';

export const handler = publicAddress({
  methods: ['GET'],
  handle: async ({ pathParameters, rawQueryString, requestContext: { http }, headers, state: { now } }) => {
    const { handle = '', link = '' } = pathParameters ?? {};
    const browser = { method: http.method, address: http.sourceIp, headers };
    const destination = await followLink({ handle, link, query: new URLSearchParams(rawQueryString) }, browser, now);
    if (!destination) throw new ApiError('path_not_found');
    // The page that the link leads to may know where its visitor comes from.
    const location = { location: destination.href, 'referrer-policy': 'unsafe-url' };
    return { statusCode: 302, headers: { ...plainHeaders, ...location }, body: '' };
  },
  respondToError: ({ status, headers }) => ({
    statusCode: status,
    headers: { ...plainPageHeaders('none'), ...headers },
    body:
      status < 500
        ? plainPage(
            'This link leads nowhere',
            'It may be misspelled, or it is no longer in use. Ask whoever gave it to you.',
          )
        : plainPage('This link does not work at the moment', 'Please try again in a few seconds.'),
  }),
});
