import type * as z from 'zod';
import type { Link } from '../../contract/links.ts';
import { qrCodeFormats } from '../../contract/pages/links.ts';
import type { StoredLink } from '../../domain/affiliates/link-rules.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { EditAndDelete, Figures, FormCard, LinkButton, Section } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { Money } from '../components/money.tsx';
import { EmptyState, Table } from '../components/table.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { affiliatePath } from './affiliates.tsx';
import { linkPath } from './link-path.ts';
import { type OwnDays, OwnDaysSection } from './own-days.tsx';
import { shareAddress } from './share-address.ts';

const DestinationField = ({ initial = '', filled }: { initial?: string; filled: Filled }) => (
  <Field
    name="destinationUrl"
    label="Page"
    hint="Where the link leads, such as https://shop.example/spring; the first of the program’s base URLs if empty"
    initial={initial}
    filled={filled}
    maxLength={2000}
    inputMode="url"
  />
);

export const newLinkView = (session: Session, programId: string, affiliate: StoredAffiliate, filled: Filled): View => {
  const back = affiliatePath(programId, affiliate.id);
  return view(
    'Add link',
    <FormCard session={session} action={`${back}/links/new`} button="Add link" back={back} filled={filled}>
      <Field
        name="link"
        label="Link"
        hint="Letters, digits and hyphens, such as amara-summer"
        filled={filled}
        required
        maxLength={100}
      />
      <DestinationField filled={filled} />
    </FormCard>,
    { trail: [{ label: fullName(affiliate), path: back }] },
  );
};

const QrCodes = ({ programId, linkId, site }: { programId: string; linkId: string; site?: string }) => (
  <>
    {qrCodeFormats.map((format, at) => (
      <>
        {at > 0 && ' · '}
        <a
          href={`${linkPath(programId, linkId)}/qr-code?${new URLSearchParams({ format, ...(site && { site }) })}`}
          aria-label={`Download the QR code of ${site ?? 'the share address'} as ${format.toUpperCase()}`}
        >
          {format.toUpperCase()}
        </a>
      </>
    ))}
  </>
);

const ShareAddress = ({ program, link }: { program: StoredProgram; link: z.input<typeof Link> }) => (
  <Section heading="Share this address">
    <p>
      <Copyable text={shareAddress(program, link.link)} label="the address to share" />
    </p>
    <p class="hint">
      It counts each visitor and leads to{' '}
      {link.destinationUrl ?? program.baseUrls[0] ?? 'your first page, once the settings name one'}. QR code:{' '}
      <QrCodes programId={program.id} linkId={link.id} />
    </p>
  </Section>
);

const Addresses = ({ programId, link }: { programId: string; link: z.input<typeof Link> }) => (
  <Section heading="The link on your pages">
    <Table
      caption="Addresses"
      items={link.fullURLs}
      keyOf={({ baseUrl }) => baseUrl}
      empty={
        <EmptyState
          title="No pages to link to yet"
          action={
            <LinkButton needs="OWNER" to={`/programs/${programId}/settings`}>
              Open settings
            </LinkButton>
          }
        >
          An owner of the program enters the addresses of your pages in the settings. Every link then shows its full
          address on each page.
        </EmptyState>
      }
      columns={[
        { heading: 'Address', cell: ({ fullUrl }) => <Copyable text={fullUrl} label="the address" /> },
        {
          heading: 'QR code',
          cell: ({ baseUrl }) => <QrCodes programId={programId} linkId={link.id} site={baseUrl} />,
        },
      ]}
    />
  </Section>
);

export const linkView = (
  program: StoredProgram,
  link: z.input<typeof Link>,
  totalRevenueMinor: number | bigint,
  days: OwnDays,
): View => {
  const path = linkPath(program.id, link.id);
  const affiliate = affiliatePath(program.id, link.affiliate.id);
  return view(
    link.link,
    <>
      <Figures
        entries={[
          ['Revenue', <Money key="revenue" minor={totalRevenueMinor} currency={program.currency} />],
          ['Clicks', link.clicks],
          ['Referrals', link.referrals],
          ['Sales', link.sales],
        ]}
      />
      <ShareAddress program={program} link={link} />
      <OwnDaysSection own={days} path={path} currency={program.currency} />
      <Addresses programId={program.id} link={link} />
      <Section heading="Codes">
        <Table
          caption="Codes"
          items={link.promotionalCodes}
          keyOf={({ id }) => id}
          empty="The affiliate has no codes yet."
          columns={[{ heading: 'Code', cell: ({ code }) => <Copyable text={code} label={code} /> }]}
        />
      </Section>
    </>,
    {
      lead: (
        <>
          A link of <a href={affiliate}>{link.affiliate.name}</a>
        </>
      ),
      trail: [{ label: link.affiliate.name, path: affiliate }],
      actions: (
        <>
          <HistoryLink programId={program.id} recordId={link.id} />
          <EditAndDelete path={path} />
        </>
      ),
    },
  );
};

export const linkEditView = (session: Session, programId: string, link: StoredLink, filled: Filled): View => {
  const path = linkPath(programId, link.id);
  return view(
    `Edit ${link.link}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <Field
        name="newLink"
        label="Link"
        hint="If you change it, the old link stops working immediately."
        initial={link.link}
        filled={filled}
        required
        maxLength={100}
      />
      <DestinationField initial={link.destinationUrl ?? ''} filled={filled} />
    </FormCard>,
    { trail: [{ label: link.link, path }] },
  );
};

export const linkDeletionView = (session: Session, programId: string, link: StoredLink): View => {
  const path = linkPath(programId, link.id);
  return view(
    `Delete ${link.link}?`,
    <Confirmation session={session} action={`${path}/delete`} button="Delete link" back={path}>
      <p>The link stops working immediately. Its referrals and sales stay, without the link.</p>
    </Confirmation>,
    { trail: [{ label: link.link, path }] },
  );
};
