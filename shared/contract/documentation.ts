import * as z from 'zod';
import { operation } from './operation.ts';

const readOpenApi = operation({
  id: 'readOpenApi',
  method: 'GET',
  path: '/openapi.json',
  auth: 'none',
  tag: 'Documentation',
  summary: 'This description, as OpenAPI 3.1',
  query: z.strictObject({}),
  response: z.looseObject({}),
  cacheable: true,
  connector: true,
  errors: [],
  needs: ['api-url:use'],
  example: {},
});

const readDocumentation = operation({
  id: 'readDocumentation',
  method: 'GET',
  path: '/docs',
  auth: 'none',
  tag: 'Documentation',
  summary: 'This description, as a page for people',
  query: z.strictObject({}),
  response: z.string(),
  html: true,
  cacheable: true,
  errors: [],
  needs: [],
  example: {},
});

export const openApiOperations = [readOpenApi] as const;

export const documentationOperations = [readDocumentation] as const;
