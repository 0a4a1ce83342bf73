import { codeExchangeOperations } from '../shared/contract/connector-connection.ts';
import { apiPath } from '../shared/http/api-path.ts';

/** The code is the token: it has been checked like one before this runs. Specification, "Connector flow", step 3. */
export const handler = apiPath(codeExchangeOperations, {
  exchangeConnectorCode: ({ body }) => ({ access_token: body.code }),
});
