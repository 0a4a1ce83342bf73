import { connectorVariant } from '../../shared/contract/connector.ts';
import { connectorOperations, operations } from '../../shared/contract/operations.ts';
import { connectorUrl } from '../connector/platform.ts';
import type { Sample } from '../operations/sample.ts';
import { samples } from '../operations/samples.ts';

const ownPlaces = Object.entries<Sample>(samples).flatMap(([id, { playedAfter }]) =>
  playedAfter ? [{ id, playedAfter }] : [],
);

/** A story with the operations that their samples put into it, each behind the first time that it names. */
const withOwnPlaces = (story: readonly string[], nameOf: (id: string) => string = (id) => id): string[] =>
  ownPlaces.reduce(
    (told, { id, playedAfter }) => {
      const at = told.indexOf(nameOf(playedAfter));
      return at < 0 ? told : told.toSpliced(at + 1, 0, nameOf(id));
    },
    [...story],
  );

const connectorName = (id: string): string => {
  const operation = operations.find((one) => one.id === id);
  return (operation && connectorVariant(operation)?.id) ?? id;
};

const ownPreparations = Object.entries<Sample>(samples).flatMap(([id, { prepare }]) =>
  prepare ? [[id, prepare] as const, [connectorName(id), prepare] as const] : [],
);

/** What an operation of a story needs that no operation before it makes, by its id. */
export const preparations = new Map(ownPreparations);

/** Orders in which the examples of a document can be sent, each finding what it names. */

export interface Surface {
  name: string;
  documentUrl: string;
  declared: readonly { id: string }[];
  /** Ids of operations. A repeated one is needed again by what follows. */
  story: readonly string[];
  /** Errors that a request alone cannot cause here: test/api/event-feed, test/api/rate-limit and test/http/unavailable do. */
  unproduced: readonly string[];
}

const codesAndSales = [
  // While there are no sales: those of a deleted batch are released in the background.
  'createPayoutBatch',
  'deletePayoutBatch',
  'createAffiliate',
  'readAffiliate',
  'listAffiliates',
  'updateAffiliate',
  'createCoupon',
  'readCoupon',
  'listCoupons',
  'createPromotionalCode',
  'readPromotionalCode',
  'listPromotionalCodes',
  'validatePromotionalCode',
  'createPromotionalCodesInBulk',
  'createReferral',
  'readReferral',
  'listReferrals',
  'updateReferral',
  'createSale',
  'readSale',
  'listSales',
  'previewSale',
  'updateSale',
  'refundSale',
  'deleteSale',
  'createSale',
];
const linksAndWebhooks = [
  'createLink',
  'readLink',
  'listLinks',
  'deleteLink',
  'createLink',
  'updateLink',
  'createWebhook',
  'readWebhook',
  'listWebhooks',
  'updateWebhook',
  'testWebhook',
  'readWebhookDelivery',
  'listWebhookDeliveries',
  'retryWebhookDeliveries',
  'listEvents',
  'readEvent',
  'rotateWebhookSecret',
];
const payoutsAndDeletions = [
  'createPayoutBatch',
  'listPayoutBatches',
  'readPayoutBatch',
  'updatePayoutBatch',
  'updatePromotionalCode',
  'deletePromotionalCode',
  'updateCoupon',
  'deleteCoupon',
  'deleteReferral',
  'deleteAffiliate',
  'deleteWebhook',
  'readProgram',
  'readHealth',
  'readOpenApi',
  'readDocumentation',
];

export const main: Surface = {
  name: 'the main API',
  documentUrl: '/openapi.json',
  declared: operations,
  story: withOwnPlaces([...codesAndSales, ...linksAndWebhooks, ...payoutsAndDeletions]),
  unproduced: [
    'RequestError410',
    'RequestError429',
    'RequestError500',
    'ChangeError500',
    'RequestError503',
    'ChangeError503',
  ],
};
export const connector: Surface = {
  name: 'the connector',
  documentUrl: connectorUrl('/openapi.json'),
  declared: connectorOperations,
  story: withOwnPlaces(
    [
      'exchangeConnectorCode',
      'testConnection',
      'connectorCreateAffiliate',
      'connectorListAffiliates',
      'connectorUpdateAffiliate',
      'createCoupon',
      'createPromotionalCode',
      'connectorListPromotionalCodes',
      'connectorCreateReferral',
      'connectorListReferrals',
      'connectorUpdateReferral',
      'connectorDeleteReferral',
      'connectorCreateSale',
      'connectorListSales',
      'connectorUpdateSale',
      'connectorDeleteSale',
      'connectorCreateSale',
      'createPayoutBatch',
      'connectorListPayoutBatches',
      'updatePayoutBatch',
      'connectorDeleteAffiliate',
      'subscribe',
      'readSubscription',
      'listSubscriptions',
      'unsubscribe',
      'connectorReadOpenApi',
    ],
    connectorName,
  ),
  unproduced: ['RequestError429', 'RequestError500', 'RequestError503'],
};
