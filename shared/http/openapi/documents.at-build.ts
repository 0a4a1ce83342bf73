import { eventCatalogue } from '../../../events/catalogue.ts';
import { connectorOperations, operations } from '../../contract/operations.ts';
import { openApiDocument } from './document.ts';

/** This module runs when the functions are bundled; the bundle holds its values. infra/bundle.ts */

/** Stands for the application's address, which each deployment has its own of. */
export const addressPlaceholder = 'https://address-of-the-application.invalid';
/** Stands for the path of the main API or of the connector. */
export const basePathPlaceholder = '/base-path';

/** Once, and not at every operation: clients would have a third form of errors everywhere. docs/behavior.md#responses-of-the-gateway */
const ofGateway =
  'Amazon API Gateway, in front of the API, refuses some requests itself, with a body of its own, `{ "message": string }`, and ' +
  'without `x-request-id`: 413 (a body of more than 10 MB), 414 and 431 (an address and headers of more than 10 KB), 429 (more ' +
  'requests a second than the whole service takes), 500, 503 and 504 (no response in time). Tell errors by their status.';

const serverUrl = `${addressPlaceholder}${basePathPlaceholder}`;

export const mainDocument = JSON.stringify(
  openApiDocument({
    title: 'Affiliate program API',
    description:
      'Affiliates, referrals, sales, links, coupons, promotional codes and payout batches of one program. Every success ' +
      `is a 200. A list is an array, newest first, with the next page in its \`Link\` header. ${ofGateway}`,
    serverUrl,
    helpUrl: `${addressPlaceholder}/docs`,
    operations,
    events: eventCatalogue,
  }),
);

export const connectorDocument = JSON.stringify(
  openApiDocument({
    title: 'Affiliate program connector',
    description:
      'What automation platforms connect to. Lists are arrays, searches too; fields that are not known are ignored, and ' +
      `numbers and booleans may come as text. ${ofGateway}`,
    serverUrl,
    helpUrl: `${addressPlaceholder}/docs/connector`,
    operations: connectorOperations,
  }),
);
