import { ApiError } from '../contract/errors.ts';
import { type HttpEvent, type HttpResponse, pipeline, type RequestState } from './pipeline.ts';

type PublicEvent = HttpEvent<RequestState>;

interface Served {
  readonly methods: readonly ('GET' | 'POST')[];
  readonly handle: (event: PublicEvent) => Promise<HttpResponse>;
  readonly respondToError: (error: ApiError) => HttpResponse;
}

/** The Lambda of an address for visitors: no key, no session, and nothing of what they send in a log. docs/tracking.md */
export const publicAddress = ({ methods, handle, respondToError }: Served) =>
  pipeline<RequestState>({
    begin: (request) => request,
    checks: [
      ({ requestContext: { http } }) => {
        const method = http.method === 'HEAD' ? 'GET' : http.method;
        if (methods.some((one) => one === method)) return;
        throw new ApiError('method_not_allowed', undefined, { headers: { allow: methods.join(', ') } });
      },
    ],
    handle,
    respondToError,
  });

export const plainHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
