import { FirstSaleMessage, mailFirstSale } from '../shared/domain/sales/first-sale.ts';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';

export const handler = queueWorker('mail-first-sale', FirstSaleMessage, (message) =>
  mailFirstSale(message, new Date()),
);
