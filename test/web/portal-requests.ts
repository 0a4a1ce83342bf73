import { randomUUID } from 'node:crypto';
import type { portalPages } from '../../shared/contract/pages/portal.ts';
import { freshEmail } from '../support/browser.ts';
import type { WebWorld } from './web-world.ts';

export interface PageRequest {
  parameters?: Record<string, string>;
  query?: Record<string, string>;
  form?: Record<string, string>;
}

/** A request of each page of the portal that its affiliate may make. */
export const freshPortalRequests: Record<(typeof portalPages)[number]['id'], (world: WebWorld) => PageRequest> = {
  showPortalSignIn: ({ handle }) => ({ parameters: { handle } }),
  requestSignInLink: ({ handle }) => ({ parameters: { handle }, form: { email: freshEmail() } }),
  confirmPortalSignIn: ({ handle, portalToken: token }) => ({ parameters: { handle }, query: { token } }),
  enterPortal: ({ handle }) => ({ parameters: { handle }, form: { token: 'x' } }),
  leavePortal: ({ handle }) => ({ parameters: { handle }, form: {} }),
  showPortalOverview: ({ handle }) => ({ parameters: { handle } }),
  showPortalLinks: ({ handle }) => ({ parameters: { handle } }),
  showNewPortalLink: ({ handle }) => ({ parameters: { handle } }),
  addPortalLink: ({ handle }) => ({ parameters: { handle }, form: { link: `link-${randomUUID()}` } }),
  downloadPortalQrCode: ({ handle, ids }) => ({ parameters: { handle, ...ids } }),
  showPortalCodes: ({ handle }) => ({ parameters: { handle } }),
  showNewPortalCode: ({ handle }) => ({ parameters: { handle } }),
  addPortalCode: ({ handle, ids }) => ({
    parameters: { handle },
    form: { couponId: ids.couponId, code: `CODE-${randomUUID()}` },
  }),
  showPortalSales: ({ handle }) => ({ parameters: { handle } }),
  showPortalPayouts: ({ handle }) => ({ parameters: { handle } }),
  showPortalStatement: ({ handle, ids }) => ({ parameters: { handle, ...ids } }),
  showPortalAssets: ({ handle, ids }) => ({ parameters: { handle }, query: { link: ids.linkId } }),
  showPayoutDetails: ({ handle }) => ({ parameters: { handle } }),
  changePayoutDetails: ({ handle }) => ({ parameters: { handle }, form: { paymentMethod: 'PAYPAL', payoutEmail: '' } }),
  showNewPayoutDetails: ({ handle, payoutToken: token }) => ({ parameters: { handle }, query: { token } }),
  confirmPayoutDetails: ({ handle }) => ({ parameters: { handle }, form: { token: 'x' } }),
  showApplicationForm: ({ handle }) => ({ parameters: { handle } }),
  sendApplication: ({ handle }) => ({
    parameters: { handle },
    form: { firstName: 'Priya', email: freshEmail(), seal: 'x' },
  }),
  showPortalProfile: ({ handle }) => ({ parameters: { handle } }),
  changePortalProfile: ({ handle }) => ({ parameters: { handle }, form: { firstName: 'Changed', lastName: '' } }),
};
