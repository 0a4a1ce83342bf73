import { ApiError } from '../shared/contract/errors.ts';
import { followLink } from '../shared/domain/tracking/follow-link.ts';
import { plainHeaders, publicAddress } from '../shared/http/public-address.ts';

const page = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title}</title><style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}h1{font-size:1.5rem}</style></head><body><h1>${title}</h1><p>${text}</p></body></html>`;

const pageHeaders = {
  ...plainHeaders,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
};

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
    headers: { ...pageHeaders, ...headers },
    body:
      status < 500
        ? page(
            'This link leads nowhere',
            'It may be misspelled, or it is no longer in use. Ask whoever gave it to you.',
          )
        : page('This link does not work at the moment', 'Please try again in a few seconds.'),
  }),
});
