import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ApiError, requireRecord } from '../contract/errors.ts';
import { maxHoldDays } from '../contract/group-rules.ts';
import {
  type portalPages,
  showPortalAssets,
  showPortalCodes,
  showPortalLinks,
  showPortalPayouts,
  showPortalSales,
  showPortalStatement,
} from '../contract/pages/portal.ts';
import { createLink } from '../domain/affiliates/create-link.ts';
import { links } from '../domain/affiliates/link-repository.ts';
import { linksOf } from '../domain/affiliates/responses.ts';
import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import { withTotals } from '../domain/affiliates/totals.ts';
import { updateAffiliate } from '../domain/affiliates/update-affiliate.ts';
import { assets } from '../domain/assets/asset-record.ts';
import { coupons, couponsForAffiliates } from '../domain/coupons/repository.ts';
import { isRedeemable } from '../domain/coupons/rules.ts';
import { isOnHold, sumOnHold } from '../domain/payouts/on-hold.ts';
import { saleParts, worthOf } from '../domain/payouts/parts/parts.ts';
import { findPayoutOfAffiliate, payoutsOfAffiliate } from '../domain/payouts/payouts-of-affiliate.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import { createAffiliateCode } from '../domain/promotional-codes/create-affiliate-code.ts';
import { codesOfAffiliate, promotionalCodes } from '../domain/promotional-codes/repository.ts';
import { sales, salesOfAffiliate } from '../domain/sales/repository.ts';
import type { StoredSale } from '../domain/sales/rules.ts';
import { Page, type PageRequest } from '../platform/table/page.ts';
import { unfilled } from '../web/components/controls.tsx';
import { withFlash } from '../web/components/flash.ts';
import type { PageHandlersOf } from '../web/handlers.ts';
import { type ListPart, listPart } from '../web/lists/list-part.ts';
import { shownPeriod } from '../web/lists/period.ts';
import { readOwnDays } from '../web/pages/own-days.tsx';
import { shareAddress } from '../web/pages/share-address.ts';
import { qrCode } from '../web/records/qr-code.ts';
import { redirect } from '../web/responses.ts';
import { applyHandlers } from './apply-handlers.ts';
import { assetsView } from './assets.tsx';
import { codesView, newCodeView } from './codes.tsx';
import { profileView } from './details.tsx';
import { linksView, newLinkView } from './links.tsx';
import { overviewView } from './overview.tsx';
import { sectionPath } from './paths.ts';
import { payoutDetailsHandlers } from './payout-details-handlers.ts';
import { payoutsView, statementView } from './payouts.tsx';
import { salesView } from './sales.tsx';
import { signInHandlers } from './sign-in-handlers.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;
const compress = promisify(gzip);

/** A page reads 20 units at most, and a record of a list costs half a unit, or one where it must be the newest. */
const shownSales = 20;
const shownLinks = 20;
const shownCodes = 6;
const shownAssets = 12;
const batchesLookedAt = 10;
/** What is on hold is among them, but for affiliates who sell much. */
const newestSales = 20;
/** Coupons stay among those that take codes of affiliates after they have ended. */
const offersLookedAt = 16;

const cheaply = (part: ListPart, limit: number): PageRequest => ({ ...part.request, limit, isConsistent: false });

const salesOf = (programId: string, affiliateId: string, request: PageRequest, batchId?: string) =>
  sales.page(
    programId,
    request,
    salesOfAffiliate(affiliateId),
    (sale) => batchId === undefined || sale.payoutBatchId === batchId,
  );

const isInReview = ({ reviewStatus, payoutBatchId }: StoredSale): boolean =>
  reviewStatus === 'HELD' && payoutBatchId === null;

/** No hold is as long as older sales are old; a review has no end. */
const waitingAmong = ({ items, next }: Page<StoredSale>, now: Date) => {
  const oldest = items.at(-1);
  const isBeyond = oldest !== undefined && Date.parse(oldest.createdAt) < now.getTime() - maxHoldDays * dayMilliseconds;
  const isAllOnHold = next === undefined || isBeyond;
  return {
    onHold: sumOnHold(
      items.filter((sale) => isOnHold(sale, now)),
      isAllOnHold,
    ),
    inReviewMinor: worthOf(saleParts, items.filter(isInReview)),
    isAllOnHold,
    isAllInReview: next === undefined,
  };
};

const readOverview = async (program: StoredProgram, affiliate: StoredAffiliate, now: Date) => {
  const [[withOwnTotals], days, newest] = await Promise.all([
    withTotals(program.id, [affiliate]),
    readOwnDays(program.id, { name: 'AFFILIATE', id: affiliate.id }, shownPeriod({ days: '30' }, now)),
    salesOf(program.id, affiliate.id, { limit: newestSales, isConsistent: false }),
  ]);
  return {
    affiliate: requireRecord(withOwnTotals, 'Affiliate'),
    days,
    sales: newest.items,
    waiting: waitingAmong(newest, now),
  };
};

/** Newest first. The affiliate's own item names them, so that one that was just added is there. */
const readLinks = async ({ id: programId }: StoredProgram, affiliate: StoredAffiliate, part: ListPart) => {
  const { after } = part.request;
  const all = linksOf(affiliate)
    .toReversed()
    .filter(({ id }) => after === undefined || id < after);
  const shown = all.slice(0, shownLinks);
  const counted = await links.getMany(
    programId,
    shown.map(({ id }) => id),
    false,
  );
  const entries = shown.map((link) => ({ item: { ...link, counts: counted.get(link.id) }, position: link.id }));
  return new Page(entries, all.length > shown.length ? shown.at(-1)?.id : undefined);
};

const readOffers = async ({ id: programId }: StoredProgram, now: Date) => {
  const ids = await coupons.newestIds(programId, couponsForAffiliates, offersLookedAt);
  const found = await coupons.getMany(programId, ids, false);
  return ids.flatMap((id) => found.get(id) ?? []).filter((coupon) => isRedeemable(coupon, now));
};

const readCodes = async (program: StoredProgram, affiliateId: string, part: ListPart, now: Date) => {
  const readOwn = async () => {
    const page = await promotionalCodes.page(program.id, cheaply(part, shownCodes), codesOfAffiliate(affiliateId));
    const couponIds = new Set(page.items.map(({ couponId }) => couponId));
    return { page, coupons: await coupons.getMany(program.id, couponIds, false) };
  };
  const [own, offers] = await Promise.all([readOwn(), readOffers(program, now)]);
  return { ...own, mayCreate: offers.length > 0 };
};

const refuseInactive = ({ status }: StoredAffiliate): void => {
  if (status !== 'ACTIVE')
    throw new ApiError('conflict', 'Your participation is not active yet. Ask the program to approve it.');
};

export const portalHandlers: PageHandlersOf<typeof portalPages> = {
  ...signInHandlers,
  ...payoutDetailsHandlers,
  ...applyHandlers,

  showPortalOverview: async ({ program, affiliate, now }) =>
    overviewView(program, await readOverview(program, affiliate, now), now),

  showPortalLinks: async ({ program, affiliate, query }) => {
    const part = listPart(showPortalLinks, affiliate.id, sectionPath(program, 'links'), query);
    return linksView(program, affiliate, part, await readLinks(program, affiliate, part));
  },

  showNewPortalLink: ({ session, program }) => newLinkView(session, program, unfilled),

  addPortalLink: {
    submit: async ({ program, affiliate, form, now }) => {
      refuseInactive(affiliate);
      await createLink(program.id, { ...form, link: form.link, affiliateId: affiliate.id }, now);
      return redirect(withFlash(sectionPath(program, 'links'), 'link-created'));
    },
    showAgain: ({ session, program }, filled) => newLinkView(session, program, filled),
  },

  downloadPortalQrCode: async ({ program, affiliate, parameters: { linkId } }) => {
    const { link } = requireRecord(affiliate.links[linkId], 'Link');
    const image = await qrCode(shareAddress(program, link), 'svg');
    return { kind: 'download', type: 'image/svg+xml', fileName: `${link}.svg`, compressed: await compress(image) };
  },

  showPortalCodes: async ({ program, affiliate, query, now }) => {
    const part = listPart(showPortalCodes, affiliate.id, sectionPath(program, 'codes'), query);
    return codesView(program, affiliate, part, await readCodes(program, affiliate.id, part, now), now);
  },

  showNewPortalCode: async ({ session, program, now }) =>
    newCodeView(session, program, await readOffers(program, now), unfilled),

  addPortalCode: {
    submit: async ({ program, affiliate, form, now }) => {
      refuseInactive(affiliate);
      await createAffiliateCode(program.id, affiliate, form, now);
      return redirect(withFlash(sectionPath(program, 'codes'), 'code-created'));
    },
    showAgain: async ({ session, program, now }, filled) =>
      newCodeView(session, program, await readOffers(program, now), filled),
  },

  showPortalSales: async ({ program, affiliate, query, now }) => {
    const part = listPart(showPortalSales, affiliate.id, sectionPath(program, 'sales'), query);
    return salesView(program, part, await salesOf(program.id, affiliate.id, cheaply(part, shownSales)), now);
  },

  showPortalPayouts: async ({ program, affiliate, query }) => {
    const part = listPart(showPortalPayouts, affiliate.id, sectionPath(program, 'payouts'), query);
    const page = await payoutsOfAffiliate(program.id, affiliate.id, cheaply(part, batchesLookedAt));
    return payoutsView(program, part, page);
  },

  showPortalStatement: async ({ program, affiliate, parameters: { payoutBatchId }, query, now }) => {
    const path = `${sectionPath(program, 'payouts')}/${payoutBatchId}`;
    const part = listPart(showPortalStatement, affiliate.id, path, query);
    const [payout, sold] = await Promise.all([
      findPayoutOfAffiliate(program.id, affiliate.id, payoutBatchId),
      salesOf(program.id, affiliate.id, cheaply(part, shownSales), payoutBatchId),
    ]);
    return statementView(program, affiliate, requireRecord(payout, 'Payout'), { part, sales: sold }, now);
  },

  showPortalAssets: async ({ program, affiliate, query }) => {
    const part = listPart(showPortalAssets, affiliate.id, sectionPath(program, 'assets'), query);
    const page = await assets.page(program.id, cheaply(part, shownAssets));
    return assetsView(program, affiliate, { part, page, linkId: query.link });
  },

  showPortalProfile: ({ session, program, affiliate }) => profileView(session, program, affiliate, unfilled),

  changePortalProfile: {
    submit: async ({ program, affiliate, form, now }) => {
      await updateAffiliate(program.id, { affiliateId: affiliate.id, ...form }, undefined, now);
      return redirect(withFlash(sectionPath(program, 'profile'), 'saved'));
    },
    showAgain: ({ session, program, affiliate }, filled) => profileView(session, program, affiliate, filled),
  },
};
