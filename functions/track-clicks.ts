import { ApiError } from '../shared/contract/errors.ts';
import { NewClick, registerClick } from '../shared/domain/tracking/register-click.ts';
import { parseFields } from '../shared/http/parsing.ts';
import { plainHeaders, publicAddress } from '../shared/http/public-address.ts';

const maxBodyBytes = 2048;
const jsonHeaders = { ...plainHeaders, 'content-type': 'application/json; charset=utf-8' };

/** As text too: what has the content type of JSON costs a browser another request before it. */
const bodyOf = ({ body, isBase64Encoded }: { body?: unknown; isBase64Encoded: boolean }): Record<string, unknown> => {
  const text = Buffer.from(typeof body === 'string' ? body : '', isBase64Encoded ? 'base64' : 'utf8');
  if (text.length > maxBodyBytes) throw new ApiError('body_too_large', 'The request body is larger than 2 KB');
  try {
    const content: unknown = JSON.parse(text.toString());
    if (content instanceof Object && !Array.isArray(content)) return { ...content };
  } catch {
    // Said below.
  }
  throw new ApiError('bad_request', 'The body is missing or is not valid JSON');
};

export const handler = publicAddress({
  methods: ['POST'],
  handle: async (event) => {
    const { http } = event.requestContext;
    const click = parseFields(NewClick, bodyOf(event));
    const browser = { method: http.method, address: http.sourceIp, headers: event.headers };
    const registered = await registerClick(click, browser, event.state.now);
    return { statusCode: 200, headers: jsonHeaders, body: JSON.stringify(registered) };
  },
  respondToError: ({ status, message, details, headers }) => ({
    statusCode: status,
    headers: { ...jsonHeaders, ...headers },
    body: JSON.stringify({ error: message, ...(details && { details }) }),
  }),
});
