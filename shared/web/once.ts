import { createHash } from 'node:crypto';
import { ApiError } from '../contract/errors.ts';
import { once } from '../http/idempotency.ts';
import type { HttpResponse } from '../http/pipeline.ts';
import type { WebEvent } from './checks.ts';

const waitMilliseconds = 200;
const maxWaits = 50;

const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, waitMilliseconds));

/** The same form is being processed at this moment. */
const isUnderWay = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'conflict' && error.headers?.['retry-after'] !== undefined;

/** A form that was refused has created nothing, and may be sent again. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status < 500;

/**
 * Runs a form that creates something once, however often it is sent: each time has the response of the first. With other
 * fields, as after going back in the browser, it is another form. docs/behavior.md#idempotency-keys
 */
export const formOnce = async (event: WebEvent, run: () => Promise<HttpResponse>): Promise<HttpResponse> => {
  const { served, program, fields, formKey, now } = event.state;
  const session = event.state.session ?? event.state.portalSession;
  if (!served?.declared.creates || !session || !program || !formKey) return run();
  const request = {
    // In place of an API key, a secret of the session: the kept response is encrypted with it.

    programId: program.id,
    keyId: session.id,
    apiKey: session.csrfToken,
    now,
    content: fields,
    endpoint: `POST ${event.rawPath}`,
    idempotencyKey: createHash('sha256')
      .update(JSON.stringify([formKey, fields]))
      .digest('base64url'),
  };
  let isUnknown = false;
  const runOnce = (_: unknown, wasInterrupted: boolean): Promise<HttpResponse> => {
    isUnknown = wasInterrupted;
    if (wasInterrupted)
      throw new ApiError(
        'conflict',
        'This form was sent before, and we do not know whether it succeeded. Check the list before you send it again.',
      );
    return run();
  };
  for (let waits = 0; ; waits++) {
    try {
      return await once(request, runOnce, (error) => !isUnknown && isRefusal(error));
    } catch (error) {
      if (!isUnderWay(error)) throw error;
      if (waits === maxWaits)
        throw new ApiError(
          'conflict',
          'This form is still being processed. Wait a minute and check the list before you send it again.',
        );
      await wait();
    }
  }
};
