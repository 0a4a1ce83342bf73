import { randomUUID } from 'node:crypto';
import type { WebPage } from '../../shared/contract/page.ts';
import { type DeclaredPage, pages } from '../../shared/contract/pages/pages.ts';
import { defaultGroupId } from '../../shared/domain/groups/rules.ts';
import { freshEmail } from '../support/browser.ts';
import { etagOf, usualImage } from '../support/image-files.ts';
import { freshPortalRequests, type PageRequest } from './portal-requests.ts';
import { freshSettingsRequests } from './settings-requests.ts';
import type { WebWorld } from './web-world.ts';

const platformAddress = 'http://127.0.0.1:1/callback';

/** A request of each page that its own account may make. A page without one does not compile. */
export const freshPageRequests: Record<DeclaredPage['id'], (world: WebWorld) => PageRequest> = {
  showStart: () => ({}),
  readStyle: () => ({ parameters: { version: 'any' } }),
  readAccentStyle: () => ({ parameters: { version: 'any', color: 'ffe600' } }),
  readScript: () => ({ parameters: { version: 'any' } }),
  signIn: () => ({}),
  finishSignIn: () => ({ query: { code: 'x', state: 'x' } }),
  signOut: () => ({ form: {} }),
  confirmSignOutEverywhere: () => ({}),
  signOutEverywhere: () => ({ form: {} }),
  showPrograms: () => ({}),
  showNewProgram: () => ({}),
  addProgram: () => ({ form: { name: 'Another', currency: 'EUR', commissionRate: '10' } }),
  showProgram: ({ programId }) => ({ parameters: { programId } }),
  showProgramSettings: ({ programId }) => ({ parameters: { programId } }),
  changeProgram: ({ programId }) => ({
    parameters: { programId },
    form: { name: 'Changed', currency: 'EUR', commissionRate: '11' },
  }),
  confirmProgramDeletion: ({ programId }) => ({ parameters: { programId } }),
  removeProgram: ({ programId }) => ({ parameters: { programId }, form: { name: 'not its name' } }),
  respondToInvitation: ({ ids }) => ({ parameters: { ...ids }, form: { decision: 'accept' } }),
  ...freshSettingsRequests,
  showPrivacy: ({ programId }) => ({ parameters: { programId } }),
  findPerson: ({ programId }) => ({ parameters: { programId }, form: { email: freshEmail() } }),
  downloadPerson: ({ programId }) => ({ parameters: { programId }, form: { email: freshEmail() } }),
  erasePerson: ({ programId }) => {
    const email = freshEmail();
    return { parameters: { programId }, form: { email, confirmation: email } };
  },
  showErasure: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showApiKeys: ({ programId }) => ({ parameters: { programId } }),
  addApiKey: ({ programId }) => ({ parameters: { programId }, form: { name: 'Another' } }),
  showApiKey: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  replaceApiKey: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  confirmApiKeyDeletion: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  removeApiKey: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  showAffiliates: ({ programId }) => ({ parameters: { programId }, query: { search: '">' } }),
  showApplications: ({ programId }) => ({ parameters: { programId } }),
  confirmDecline: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  decideApplication: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: { decision: 'APPROVE' } }),
  suggestAffiliates: ({ programId }) => ({ parameters: { programId }, query: { words: 'a' } }),
  downloadAffiliates: ({ programId }) => ({ parameters: { programId } }),
  showNewAffiliate: ({ programId }) => ({ parameters: { programId } }),
  addAffiliate: ({ programId }) => ({
    parameters: { programId },
    form: { firstName: 'Amara', email: freshEmail(), commissionRate: '12.5' },
  }),
  showAffiliate: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showStatement: ({ programId, ids }) => ({
    parameters: { programId, ...ids },
    query: { from: '2026-01-01', to: '2026-12-31' },
  }),
  showAffiliateEdit: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  editAffiliate: ({ programId, ids }) => ({
    parameters: { programId, ...ids },
    form: { firstName: 'Changed', email: freshEmail(), lastName: '' },
  }),
  confirmAffiliateStatus: ({ programId, ids }) => ({ parameters: { programId, ...ids }, query: { status: 'banned' } }),
  setAffiliateStatus: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: { status: 'inactive' } }),
  confirmAffiliateDeletion: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  removeAffiliate: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  showLinks: ({ programId }) => ({ parameters: { programId } }),
  downloadLinks: ({ programId }) => ({ parameters: { programId } }),
  showNewLink: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  addLink: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: { link: `link-${randomUUID()}` } }),
  showLink: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  downloadQrCode: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showLinkEdit: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  editLink: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: { newLink: `link-${randomUUID()}` } }),
  confirmLinkDeletion: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  removeLink: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  showGroups: ({ programId }) => ({ parameters: { programId } }),
  downloadGroups: ({ programId }) => ({ parameters: { programId } }),
  showNewGroup: ({ programId }) => ({ parameters: { programId } }),
  addGroup: ({ programId }) => ({
    parameters: { programId },
    form: {
      name: 'Partners',
      commissionType: 'PERCENTAGE',
      commissionRate: '25',
      'tiers.1.minimumSales': '10',
      'tiers.1.rate': '30',
    },
  }),
  showGroup: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showGroupEdit: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  editGroup: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: { name: 'Changed' } }),
  confirmGroupDeletion: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  removeGroup: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  confirmMove: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  moveGroup: ({ programId, ids }) => ({
    parameters: { programId, ...ids },
    form: { moveTo: defaultGroupId(programId) },
  }),
  showAssets: ({ programId }) => ({ parameters: { programId } }),
  showNewText: ({ programId }) => ({ parameters: { programId } }),
  addText: ({ programId }) => ({ parameters: { programId }, form: { title: 'Hello', text: 'Look: {link}' } }),
  showNewImage: ({ programId }) => ({ parameters: { programId } }),
  showUpload: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  addImage: ({ programId, ids }) => ({
    parameters: { programId, ...ids },
    form: { title: 'Banner', etag: etagOf(usualImage) },
  }),
  showAssetEdit: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  editAsset: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: { title: 'Changed', text: 'Look' } }),
  confirmAssetDeletion: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  removeAsset: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  showCoupons: ({ programId }) => ({ parameters: { programId }, query: { name: '">' } }),
  downloadCoupons: ({ programId }) => ({ parameters: { programId } }),
  showNewCoupon: ({ programId }) => ({ parameters: { programId } }),
  addCoupon: ({ programId }) => ({
    parameters: { programId },
    form: { name: 'Spring', couponType: 'PERCENTAGE', percentOff: '20' },
  }),
  showCoupon: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showCouponEdit: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  editCoupon: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: { name: 'Changed' } }),
  confirmCouponDeletion: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  removeCoupon: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  showPromotionalCodes: ({ programId }) => ({ parameters: { programId } }),
  downloadPromotionalCodes: ({ programId }) => ({ parameters: { programId } }),
  setCodesActive: ({ programId, ids }) => ({
    parameters: { programId },
    form: { action: 'deactivate', [ids.promotionalCodeId]: 'on' },
  }),
  showNewPromotionalCode: ({ programId }) => ({ parameters: { programId } }),
  addPromotionalCode: ({ programId, ids }) => ({
    parameters: { programId },
    form: { couponId: ids.couponId, code: `CODE-${randomUUID()}` },
  }),
  showBulkCodes: ({ programId, ids }) => ({ parameters: { programId }, query: { couponId: ids.couponId } }),
  addCodesInBulk: ({ programId, ids }) => ({
    parameters: { programId },
    form: { couponId: ids.couponId, codes: `CODE-${randomUUID()}\nCODE-${randomUUID()}` },
  }),
  showPromotionalCode: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showPromotionalCodeEdit: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  editPromotionalCode: ({ programId, ids }) => ({
    parameters: { programId, ...ids },
    form: { code: `CODE-${randomUUID()}`, active: 'on' },
  }),
  confirmPromotionalCodeDeletion: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  removePromotionalCode: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  showSales: ({ programId }) => ({ parameters: { programId } }),
  downloadSales: ({ programId }) => ({ parameters: { programId } }),
  showHeldSales: ({ programId }) => ({ parameters: { programId } }),
  decideSales: ({ programId }) => ({ parameters: { programId }, form: { action: 'approve' } }),
  showNewSale: ({ programId }) => ({ parameters: { programId } }),
  addSale: ({ programId, ids }) => ({
    parameters: { programId },
    form: { totalEarned: '12.50', referralId: ids.affiliateId },
  }),
  showSalePreview: ({ programId }) => ({ parameters: { programId } }),
  previewSale: ({ programId }) => ({
    parameters: { programId },
    form: { affiliateEmail: 'script', totalEarned: '49.90', productId: 'mug' },
  }),
  showSale: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showSaleEdit: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  editSale: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: { name: 'Changed' } }),
  showRefund: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  refund: ({ programId, ids }) => ({
    parameters: { programId, ...ids },
    form: { scope: 'part', amount: '1', version: '1' },
  }),
  confirmSaleDeletion: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  removeSale: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  confirmLeaving: ({ programId }) => ({ parameters: { programId } }),
  leaveProgram: ({ programId }) => ({ parameters: { programId }, form: {} }),
  showReferrals: ({ programId }) => ({ parameters: { programId } }),
  downloadReferrals: ({ programId }) => ({ parameters: { programId } }),
  showNewReferral: ({ programId }) => ({ parameters: { programId } }),
  addReferral: ({ programId }) => ({
    parameters: { programId },
    form: { name: 'Priya', email: freshEmail(), promoCode: '"><script>' },
  }),
  showReferral: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showReferralEdit: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  editReferral: ({ programId, ids }) => ({
    parameters: { programId, ...ids },
    form: { name: 'Changed', email: freshEmail() },
  }),
  confirmReferralDeletion: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  removeReferral: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  showPayoutBatches: ({ programId }) => ({ parameters: { programId } }),
  downloadPayoutBatches: ({ programId }) => ({ parameters: { programId } }),
  showNewPayoutBatch: ({ programId }) => ({ parameters: { programId } }),
  previewPayoutBatch: ({ programId }) => ({ parameters: { programId }, form: { name: 'November' } }),
  addPayoutBatch: ({ programId }) => ({ parameters: { programId }, form: { name: 'November' } }),
  downloadPayouts: ({ programId, ids }) => ({ parameters: { programId, ...ids }, query: { format: 'wise' } }),
  confirmPayment: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  markAsPaid: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: { leftOut: '1' } }),
  confirmPayoutBatchDeletion: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  removePayoutBatch: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  showPayoutBatch: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showImports: ({ programId }) => ({ parameters: { programId } }),
  showNewImport: ({ programId }) => ({ parameters: { programId }, query: { kind: 'sales' } }),
  addImport: ({ programId }) => ({ parameters: { programId }, form: { kind: 'affiliates', preset: 'rewardful' } }),
  downloadImportTemplate: ({ programId }) => ({ parameters: { programId }, query: { kind: 'sales' } }),
  showImport: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  planUpload: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: { etag: 'x', header0: 'email' } }),
  runPlannedImport: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  stopImport: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  downloadImportReport: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showAuditLog: ({ programId }) => ({ parameters: { programId }, query: { actor: '">' } }),
  downloadAuditLog: ({ programId }) => ({ parameters: { programId } }),
  showWebhooks: ({ programId }) => ({ parameters: { programId } }),
  showNewWebhook: ({ programId }) => ({ parameters: { programId } }),
  addWebhook: ({ programId }) => ({
    parameters: { programId },
    form: { url: 'https://example.com/another', events: 'chosen', 'sale.created': 'on' },
  }),
  showWebhook: ({ programId, ids }) => ({ parameters: { programId, ...ids }, query: { status: 'PENDING' } }),
  showWebhookSecret: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showWebhookChange: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  changeWebhook: ({ programId, ids }) => ({
    parameters: { programId, ...ids },
    form: { url: 'https://example.com/changed', events: 'all' },
  }),
  switchWebhookOn: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  confirmSecretRotation: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  rotateWebhookSecret: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  confirmWebhookDeletion: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  removeWebhook: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  sendWebhookTest: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  showMissedEvents: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  sendMissedEvents: ({ programId, ids }) => ({
    parameters: { programId, ...ids },
    form: { since: '2026-01-01T00:00' },
  }),
  showDelivery: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showEvents: ({ programId }) => ({ parameters: { programId }, query: { type: 'webhook.test' } }),
  showEvent: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  resendDelivery: ({ programId, ids }) => ({ parameters: { programId, ...ids }, form: {} }),
  showExports: ({ programId }) => ({ parameters: { programId } }),
  addExport: ({ programId }) => ({ parameters: { programId }, form: {} }),
  showExport: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  downloadExport: ({ programId, ids }) => ({ parameters: { programId, ...ids } }),
  showConnectedApps: ({ programId }) => ({ parameters: { programId } }),
  confirmDisconnection: ({ programId }) => ({ parameters: { programId } }),
  disconnectApps: ({ programId }) => ({ parameters: { programId }, form: {} }),
  chooseProgram: () => ({
    parameters: { platform: 'automation' },
    query: { redirect_uri: platformAddress, state: randomUUID() },
  }),
  connectProgram: ({ programId }) => ({
    parameters: { platform: 'automation' },
    query: { redirect_uri: platformAddress, state: randomUUID() },
    form: { programId },
  }),
  ...freshPortalRequests,
};

const hasRequest = (id: string): id is DeclaredPage['id'] => Object.hasOwn(freshPageRequests, id);

/** The address and the fields of a request of a page. */
export const requestOf = (page: WebPage, world: WebWorld): { address: string; form: Record<string, string> } => {
  if (!hasRequest(page.id)) throw new Error(`${page.id} is no declared page`);
  const { parameters = {}, query, form = {} } = freshPageRequests[page.id](world);
  const path = page.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  return { address: query ? `${path}?${new URLSearchParams(query)}` : path, form };
};

export const shownPages = pages.filter(({ method }) => method === 'GET');

/** Shown in a frame of another page. */
export const framed: readonly string[] = ['previewMail'] satisfies DeclaredPage['id'][];

/** Those that are documents. */
export const documents = shownPages.filter(
  ({ id, path }) =>
    !/^\/(style|script)\//.test(path) &&
    !['signIn', ...framed].includes(id) &&
    !/(\.csv|\/suggestions|\/qr-code|\/file)$/.test(path),
);
export const actions = pages.filter(({ method }) => method === 'POST');

/** Leads on whoever is signed in. */
export const isForSignedOut = ({ id }: Pick<WebPage, 'id'>): boolean => ['showStart', 'showPortalSignIn'].includes(id);
