import { codeExchangeOperations } from '../shared/contract/connector-connection.ts';
import { apiPath } from '../shared/http/api.ts';

/** The code is the token, and was authenticated as one before this runs. docs/behavior.md#connecting-a-platform */
export const handler = apiPath(codeExchangeOperations, {
  exchangeConnectorCode: ({ body }) => ({ access_token: body.code }),
});
