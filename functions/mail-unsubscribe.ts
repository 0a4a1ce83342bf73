import { ApiError } from '../shared/contract/errors.ts';
import { mails } from '../shared/contract/mails.ts';
import { programs } from '../shared/domain/programs/repository.ts';
import { plainPage, plainPageHeaders } from '../shared/http/plain-page.ts';
import { publicAddress } from '../shared/http/public-address.ts';
import { switchOffKind } from '../shared/platform/mail/addresses.ts';
import { readUnsubscribeToken } from '../shared/platform/mail/unsubscribe-link.ts';

/** Programs that scan mails follow links, and press no buttons. A mail client posts without showing the page (RFC 8058). */
export const handler = publicAddress({
  methods: ['GET', 'POST'],
  handle: async ({ pathParameters, requestContext: { http }, state: { now } }) => {
    const found = await readUnsubscribeToken(pathParameters?.token ?? '');
    if (!found) throw new ApiError('path_not_found');
    const { programId, kind, address } = found;
    const program = await programs.get(programId, programId);
    const what = `“${mails[kind].label}” from ${program?.name ?? 'this program'}`;
    const headers = plainPageHeaders('self');
    if (http.method !== 'POST') {
      const body = plainPage('Unsubscribe', `${address} will get no more mails of the kind ${what}.`, 'Unsubscribe');
      return { statusCode: 200, headers, body };
    }
    await switchOffKind(found, now);
    const body = plainPage('You have unsubscribed', `${address} gets no more mails of the kind ${what}.`);
    return { statusCode: 200, headers, body };
  },
  respondToError: ({ status, headers }) => ({
    statusCode: status,
    headers: { ...plainPageHeaders('none'), ...headers },
    body:
      status < 500
        ? plainPage('This link leads nowhere', 'It may have been cut off. Copy the whole address from the mail.')
        : plainPage('This link does not work at the moment', 'Please try again in a few seconds.'),
  }),
});
