import type { StoredAffiliate } from '../domain/affiliates/rules.ts';
import { fullName } from '../domain/affiliates/rules.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import { FormToken } from '../web/components/controls.tsx';
import { DocumentHead, type DocumentOf, Flash, Head, SkipLink } from '../web/components/layout.tsx';
import { renderDocument } from '../web/components/render.ts';
import { portalPath } from '../web/pages/portal-path.ts';
import type { PortalSession } from '../web/session/portal-session.ts';
import { sectionsOf } from './paths.ts';

const Account = ({
  program,
  affiliate,
  session,
}: {
  program: StoredProgram;
  affiliate: StoredAffiliate;
  session: PortalSession;
}) => (
  <>
    <button type="button" class="round" popovertarget="account" aria-label={`Account of ${fullName(affiliate)}`}>
      {affiliate.firstName.slice(0, 1)}
    </button>
    <div id="account" class="account" popover="auto">
      <p>{affiliate.email}</p>
      <form method="post" action={`${portalPath(program)}/sign-out`}>
        <FormToken session={session} />
        <button type="submit">Sign out</button>
      </form>
    </div>
  </>
);

const Brand = ({ program }: { program: StoredProgram }) => (
  <a class="brand portal-brand" href={portalPath(program)}>
    {program.logoUrl ? <img src={program.logoUrl} alt={program.name} height="28" /> : <span>{program.name}</span>}
  </a>
);

const Sections = ({ program, path }: { program: StoredProgram; path: string }) => (
  <nav class="tabs portal-tabs" aria-label="Portal">
    {sectionsOf(program).map(([label, to]) => (
      <a key={to} href={to} aria-current={path === to ? 'page' : path.startsWith(`${to}/`) ? 'true' : undefined}>
        {label}
      </a>
    ))}
  </nav>
);

/** The frame of the affiliates' portal: in the program's name and color, and with nothing of ours. A page that another site shows has none. */
export const portalDocument: DocumentOf = (head, content, { program, portal, address }) => {
  const { session, affiliate, isFramed = false } = portal ?? {};
  return renderDocument(
    <html lang="en">
      <head>
        <DocumentHead title={head.title} program={program} />
      </head>
      <body class={isFramed ? 'portal framed' : 'portal'}>
        <SkipLink />
        {!isFramed && (
          <header class="bar">
            {program && <Brand program={program} />}
            {program && session && affiliate && <Account program={program} affiliate={affiliate} session={session} />}
          </header>
        )}
        <main id="main">
          {program && affiliate && <Sections program={program} path={address.split('?')[0] ?? ''} />}
          <Flash address={address} />
          <Head head={head} />
          {content}
        </main>
      </body>
    </html>,
  );
};
