import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ApiError, requireRecord } from '../../contract/errors.ts';
import type { PageQuery } from '../../contract/page.ts';
import { type linkPages, showLinks } from '../../contract/pages/links.ts';
import { createLink } from '../../domain/affiliates/create-link.ts';
import { deleteLink } from '../../domain/affiliates/delete-link.ts';
import { findLink } from '../../domain/affiliates/find-link.ts';
import { links } from '../../domain/affiliates/link-repository.ts';
import { fullUrl, type StoredLink } from '../../domain/affiliates/link-rules.ts';
import { listLinks } from '../../domain/affiliates/list-links.ts';
import { renameLink } from '../../domain/affiliates/rename-link.ts';
import { affiliateIdOfFilter, affiliates } from '../../domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { linkResponses } from '../../domain/promotional-codes/link-responses.ts';
import { begin } from '../../platform/concurrency/begin.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { pageByValue } from '../../platform/table/search.ts';
import { unfilled } from '../components/controls.tsx';
import { withFlash } from '../components/flash.ts';
import { askWhichAffiliate } from '../forms/affiliate-choice.tsx';
import type { PageHandlersOf } from '../handlers.ts';
import { csvDownload } from '../lists/csv-download.ts';
import { listPart, rangeOf } from '../lists/list-part.ts';
import { shownPeriod } from '../lists/period.ts';
import { listWithAffiliates, readInOneTrip } from '../lists/related-records.ts';
import { affiliatePath } from '../pages/affiliates.tsx';
import { linkCsvColumns } from '../pages/link-fields.ts';
import { type LinkOfAffiliate, linksPath, linksView } from '../pages/link-list.tsx';
import { linkPath } from '../pages/link-path.ts';
import { linkDeletionView, linkEditView, linkView, newLinkView } from '../pages/links.tsx';
import { readOwnDays } from '../pages/own-days.tsx';
import { shareAddress } from '../pages/share-address.ts';
import { redirect } from '../responses.ts';
import { qrCode } from './qr-code.ts';

const compress = promisify(gzip);

const readAffiliate = async (programId: string, affiliateId: string): Promise<StoredAffiliate> =>
  requireRecord(await affiliates.get(programId, affiliateId), 'Affiliate');

type Filters = PageQuery<typeof showLinks>;

/** A search finds links by their beginning. */
const listed = async (programId: string, { search, affiliateEmail, sort }: Filters, request: PageRequest) => {
  if (!search && sort !== 'link') return listLinks(programId, { affiliateEmail }, request);
  const affiliateId = await affiliateIdOfFilter(programId, { affiliateEmail });
  if (affiliateId === null) return new Page<StoredLink>([], undefined);
  const keep = (link: StoredLink) => !affiliateId || link.affiliateId === affiliateId;
  return pageByValue(links, programId, { name: 'SLUG', prefix: search?.toLowerCase() ?? '', keep }, request);
};

const listedWithAffiliates = async (
  programId: string,
  filters: Filters,
  request: PageRequest,
): Promise<Page<LinkOfAffiliate>> => {
  const reading = listed(programId, filters, request);
  const { found, byId } = await listWithAffiliates(programId, filters.affiliateEmail, reading);
  return found.map((link) => ({ link, affiliate: byId.get(link.affiliateId) }));
};

export const linkHandlers: PageHandlersOf<typeof linkPages> = {
  showLinks: async ({ program, query, address }) => {
    const asked = await askWhichAffiliate(program.id, query.affiliateEmail, address);
    if (asked) return asked;
    const part = listPart(showLinks, program.id, linksPath(program.id), query);
    return linksView(program, query, part, await listedWithAffiliates(program.id, query, part.request));
  },

  downloadLinks: (request) => {
    const { program, query } = request;
    return csvDownload(request, {
      name: 'links',
      columns: linkCsvColumns(program),
      range: rangeOf(query),
      count: (page) => listed(program.id, query, page),
      read: (page) => listedWithAffiliates(program.id, query, page),
    });
  },

  showNewLink: async ({ session, program, parameters }) =>
    newLinkView(session, program.id, await readAffiliate(program.id, parameters.affiliateId), unfilled),

  addLink: {
    submit: async ({ program, parameters: { affiliateId }, form, now }) => {
      const { id } = await createLink(program.id, { ...form, affiliateId }, now);
      return redirect(withFlash(linkPath(program.id, id), 'link-created'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      newLinkView(session, program.id, await readAffiliate(program.id, parameters.affiliateId), filled),
  },

  showLink: async ({ program, parameters: { linkId }, query, now }) => {
    const days = begin(readOwnDays(program.id, { name: 'LINK', id: linkId }, shownPeriod(query, now)));
    const link = await findLink(program.id, { id: linkId });
    const [shown] = await linkResponses(readInOneTrip(program), [link]);
    return linkView(program, requireRecord(shown, 'Link'), link.totalRevenueMinor, await days);
  },

  downloadQrCode: async ({ program, parameters, query: { format, site } }) => {
    const { link } = await findLink(program.id, { id: parameters.linkId });
    if (site !== undefined && !program.baseUrls.includes(site))
      throw new ApiError('not_found', 'The program has no such base URL.');
    const address = site === undefined ? shareAddress(program, link) : fullUrl(site, link);
    return {
      kind: 'download',
      type: format === 'svg' ? 'image/svg+xml' : 'image/png',
      fileName: `${link}.${format}`,
      compressed: await compress(await qrCode(address, format)),
    };
  },

  showLinkEdit: async ({ session, program, parameters }) =>
    linkEditView(session, program.id, await findLink(program.id, { id: parameters.linkId }), unfilled),

  editLink: {
    submit: async ({ program, parameters: { linkId }, form, now }) => {
      await renameLink(program.id, { id: linkId, ...form }, undefined, now);
      return redirect(withFlash(linkPath(program.id, linkId), 'saved'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      linkEditView(session, program.id, await findLink(program.id, { id: parameters.linkId }), filled),
  },

  confirmLinkDeletion: async ({ session, program, parameters }) =>
    linkDeletionView(session, program.id, await findLink(program.id, { id: parameters.linkId })),

  removeLink: async ({ program, parameters, now }) => {
    const { affiliateId } = await deleteLink(program.id, { id: parameters.linkId }, undefined, now);
    return redirect(withFlash(affiliatePath(program.id, affiliateId), 'link-deleted'));
  },
};
