import { inject } from 'vitest';
import { connectorBasePath } from '../../shared/contract/base-paths.ts';
import { type ResponseBody, request } from '../support/program.ts';

/** The address of a path of the connector of the stack under test. */
export const connectorUrl = (path: string): string =>
  `${new URL(inject('baseUrl')).origin}${connectorBasePath('automation')}${path}`;

type Fields = Record<string, unknown>;

/** An automation platform with a token of a program. */
export interface Platform {
  get: (path: string) => Promise<ResponseBody>;
  /** Sends JSON, or nothing at all. */
  send: (method: string, path: string, body?: Fields) => Promise<ResponseBody>;
  /** Sends a form, as it is given. */
  sendForm: (method: string, path: string, form: Record<string, string> | string) => Promise<ResponseBody>;
}

/** The connector with a token. */
export const platformWith = (token: string): Platform => {
  const authorization = `Bearer ${token}`;
  const send = (method: string, path: string, body?: Fields) =>
    request(method, connectorUrl(path), {
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  return {
    get: (path) => send('GET', path),
    send,
    sendForm: (method, path, form) =>
      request(method, connectorUrl(path), {
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
        body: String(new URLSearchParams(form)),
      }),
  };
};

/** Exchanges a code as platforms do. `form` is the body as it is sent. */
export const exchange = (form: string): Promise<ResponseBody> =>
  request('POST', connectorUrl('/token'), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form,
  });
