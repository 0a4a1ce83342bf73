import { readItem } from './sdk.mjs';

export const handler = async ({ pathParameters }) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(await readItem(pathParameters.id)),
});
