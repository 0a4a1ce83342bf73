import type { StoredLink } from '../domain/affiliates/link-rules.ts';
import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import type { Page } from '../platform/table/page.ts';
import { FormCard } from '../web/components/blocks.tsx';
import type { Filled } from '../web/components/controls.tsx';
import { Field } from '../web/components/controls.tsx';
import { Copyable } from '../web/components/copyable.tsx';
import { Table } from '../web/components/table.tsx';
import { Time } from '../web/components/time.tsx';
import { Paging } from '../web/lists/list-controls.tsx';
import type { ListPart } from '../web/lists/list-part.ts';
import { shareAddress } from '../web/pages/share-address.ts';
import { type View, view } from '../web/responses.ts';
import type { PortalSession } from '../web/session/portal-session.ts';
import { Standing } from './overview.tsx';
import { sectionPath } from './paths.ts';

type CountedLink = Pick<StoredLink, 'id' | 'link' | 'createdAt'> & {
  /** Absent for a moment after a link was deleted. */
  counts: Pick<StoredLink, 'clicks' | 'sales'> | undefined;
};

export const linksView = (
  program: StoredProgram,
  affiliate: StoredAffiliate,
  part: ListPart,
  page: Page<CountedLink>,
): View => {
  const path = sectionPath(program, 'links');
  return view(
    'Links',
    <>
      <Standing status={affiliate.status} />
      <Table
        caption="Links"
        items={page.items}
        keyOf={({ id }) => id}
        empty="No links yet."
        columns={[
          {
            heading: 'Address',
            isWide: true,
            cell: ({ link }) => <Copyable text={shareAddress(program, link)} label={`the address of ${link}`} />,
          },
          { heading: 'Clicks', isNumber: true, cell: ({ counts }) => counts?.clicks ?? 0 },
          { heading: 'Sales', isNumber: true, cell: ({ counts }) => counts?.sales ?? 0 },
          {
            heading: 'QR code',
            cell: ({ id, link }) => (
              <a href={`${path}/${id}/qr-code`} aria-label={`Download the QR code of ${link} as SVG`}>
                SVG
              </a>
            ),
          },
          { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
        ]}
      />
      <Paging part={part} next={page.next} />
    </>,
    {
      lead: 'Share these addresses. Sales of people who follow them are credited to you.',
      actions: affiliate.status === 'ACTIVE' && (
        <a class="button" href={`${path}/new`}>
          New link
        </a>
      ),
    },
  );
};

export const newLinkView = (session: PortalSession, program: StoredProgram, filled: Filled): View => {
  const path = sectionPath(program, 'links');
  return view(
    'New link',
    <FormCard session={session} action={`${path}/new`} button="Create link" back={path} filled={filled}>
      <Field
        name="link"
        label="Link"
        hint="Letters, digits and hyphens, such as my-summer-tips"
        filled={filled}
        required
        maxLength={100}
      />
      <Field
        name="destinationUrl"
        label="Page"
        hint={`Where the link leads; ${program.baseUrls[0] ?? 'the first page of the program'} if empty`}
        filled={filled}
        maxLength={2000}
        inputMode="url"
      />
    </FormCard>,
  );
};
