import { beforeAll, describe, expect, inject, it } from 'vitest';
import { apiBasePath, connectorBasePath } from '../../shared/contract/base-paths.ts';
import {
  addressPlaceholder,
  basePathPlaceholder,
  connectorDocument,
  mainDocument,
} from '../../shared/http/openapi/documents.at-build.ts';
import { connectorUrl } from '../connector/platform.ts';
import { makeProgram, type ResponseBody, request } from '../support/program.ts';

let response: ResponseBody;
let connectorResponse: ResponseBody;

beforeAll(async () => {
  response = await request('GET', '/openapi.json');
  connectorResponse = await request('GET', connectorUrl('/openapi.json'));
});

describe('GET /openapi.json', () => {
  it('needs no key, and has an ETag', () => {
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect(response.body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
  });

  it('gives the absolute address of its surface', () => {
    const { origin } = new URL(inject('baseUrl'));
    expect(response.body.servers).toEqual([{ url: `${origin}${apiBasePath}` }]);
    expect(connectorResponse.body.servers).toEqual([{ url: `${origin}${connectorBasePath('automation')}` }]);
    expect(response.text + connectorResponse.text).not.toContain('.invalid');
  });

  it('is the document of its surface', () => {
    const { origin } = new URL(inject('baseUrl'));
    const served = (document: string, basePath: string) =>
      document.replaceAll(addressPlaceholder, origin).replaceAll(basePathPlaceholder, basePath);
    expect(response.text).toBe(served(mainDocument, apiBasePath));
    expect(connectorResponse.text).toBe(served(connectorDocument, connectorBasePath('automation')));
  });

  it('serves everybody the same document', async () => {
    const { apiKey } = await makeProgram();
    const withKey = await request('GET', '/openapi.json', { headers: { authorization: `Bearer ${apiKey}` } });
    const withWrongKey = await request('GET', '/openapi.json', { headers: { authorization: 'Bearer wrong' } });
    expect([withKey.text, withWrongKey.text]).toEqual([response.text, response.text]);
  });
});
