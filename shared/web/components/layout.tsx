import type { ComponentChildren } from 'preact';
import { includesRole, type Role } from '../../contract/roles.ts';
import type { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { PortalSession } from '../session/portal-session.ts';
import type { Session } from '../session/session.ts';
import { FormToken } from './controls.tsx';
import { flashOf } from './flash.ts';
import { favicon, Icon } from './icons.tsx';
import { OwnAccountContext } from './plan.tsx';
import { renderDocument } from './render.ts';
import { RoleContext } from './role.tsx';
import { scriptPath } from './script.at-build.ts';
import { lastSections, type Section, sectionGroups, sectionOf } from './sections.ts';
import { accentPath, stylePath } from './style.ts';

export interface Frame {
  readonly session: Session | undefined;
  readonly program: StoredProgram | undefined;
  readonly role: Role | undefined;
  readonly portal?: PortalFrame;
  readonly address: string;
}

interface PortalFrame {
  readonly session: PortalSession | undefined;
  readonly affiliate: StoredAffiliate | undefined;
  /** Whether a page of another site shows it, which has a frame of its own around it. */
  readonly isFramed: boolean;
}

/** Puts what a page shows into the frame that all pages of an area have. */
export type DocumentOf = (head: PageHead, content: ComponentChildren, frame: Frame) => string;

export interface PageHead {
  readonly title: string;
  readonly beside?: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** The pages above this one, below its section. */
  readonly trail?: readonly { readonly label: string; readonly path: string }[];
}

const Account = ({ session }: { session: Session }) => (
  <>
    <button type="button" class="round" popovertarget="account" aria-label={`Account of ${session.email}`}>
      {session.email.slice(0, 1)}
    </button>
    <div id="account" class="account" popover="auto">
      <p>{session.email}</p>
      <a href="/programs">All programs</a>
      <form method="post" action="/sign-out">
        <FormToken session={session} />
        <button type="submit">Sign out</button>
      </form>
      <a href="/sign-out/everywhere">Sign out everywhere</a>
    </div>
  </>
);

const Brand = ({ to }: { to: string }) => (
  <a class="brand" href={to}>
    <Icon name="brand" />
    Affiliate programs
  </a>
);

const pathOf = (address: string): string => address.split('?')[0] ?? '';

const isForRole = (role: Role, { role: needed = 'VIEWER' }: Section): boolean => includesRole(role, needed);

const Navigation = ({ program, role, path }: { program: StoredProgram; role: Role; path: string }) => {
  const base = `/programs/${program.id}`;
  const current = sectionOf(path.slice(base.length));
  const isShown = (section: Section) => isForRole(role, section);
  const entry = (section: Section) => {
    const address = `${base}${section.path}`;
    return (
      <li key={section.path}>
        <a href={address} aria-current={section === current ? (path === address ? 'page' : 'true') : undefined}>
          <Icon name={section.icon} />
          {section.label}
        </a>
      </li>
    );
  };
  return (
    <nav id="navigation" class="side" popover="auto" aria-label="Program">
      <Brand to="/programs" />
      <a class="switcher" href="/programs" aria-label={`${program.name}: switch to another program`}>
        <span>{program.name}</span>
        <Icon name="switch" />
      </a>
      {sectionGroups.map(({ heading, sections }) => (
        <section key={heading} aria-label={heading}>
          <h2>{heading}</h2>
          <ul>
            {sections.filter(isShown).map(entry)}
            {heading === 'Developers' && (
              <li>
                <a href="/docs">
                  <Icon name="docs" />
                  Docs
                </a>
              </li>
            )}
          </ul>
        </section>
      ))}
      <ul class="last">{lastSections.filter(isShown).map(entry)}</ul>
    </nav>
  );
};

const Trail = ({ program, role, path, head }: { program: StoredProgram; role: Role; path: string; head: PageHead }) => {
  const base = `/programs/${program.id}`;
  const section = sectionOf(path.slice(base.length));
  const isSection = section && path === `${base}${section.path}`;
  const above = [
    { label: program.name, path: base },
    ...(section && !isSection && isForRole(role, section)
      ? [{ label: section.label, path: `${base}${section.path}` }]
      : []),
    ...(head.trail ?? []),
  ];
  return (
    <nav class="trail" aria-label="You are here">
      <ol>
        {above.map((one) => (
          <li key={one.path}>
            <a href={one.path}>{one.label}</a>
          </li>
        ))}
        <li aria-current="page">{head.title}</li>
      </ol>
    </nav>
  );
};

const Bar = ({ frame: { session, program, role, address }, head }: { frame: Frame; head: PageHead }) => (
  <header class="bar">
    {program ? (
      <>
        <button type="button" class="round menu-button" popovertarget="navigation" aria-label="Menu">
          <Icon name="menu" />
        </button>
        <Trail program={program} role={role ?? 'OWNER'} path={pathOf(address)} head={head} />
      </>
    ) : (
      <div class="trail">
        <Brand to={session ? '/programs' : '/'} />
      </div>
    )}
    {session && <Account session={session} />}
  </header>
);

export const Head = ({ head: { title, beside, lead, actions } }: { head: PageHead }) => (
  <>
    <div class="head">
      <div>
        <h1>{title}</h1>
        {beside}
      </div>
      {actions && <div class="actions">{actions}</div>}
    </div>
    {lead && <p class="lead">{lead}</p>}
  </>
);

/** What all documents have in their head: styles, the color of the program, the script. */
export const DocumentHead = ({ title, program }: { title: string; program: StoredProgram | undefined }) => (
  <>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>{`${title} · ${program?.name ?? 'Affiliate programs'}`}</title>
    <link rel="icon" href={favicon} />
    <link rel="stylesheet" href={stylePath} />
    {program?.accentColor && <link rel="stylesheet" href={accentPath(program.accentColor)} />}
    <script src={scriptPath} defer />
  </>
);

/** What a form has done, which the page after it says. */
export const Flash = ({ address }: { address: string }) => {
  const text = flashOf(address);
  return text ? (
    <p class="toast" role="status">
      <Icon name="done" />
      {text}
    </p>
  ) : null;
};

export const SkipLink = () => (
  <a class="skip" href="#main">
    Skip to the content
  </a>
);

export const dashboardDocument: DocumentOf = (head, content, frame) => {
  const { program } = frame;
  return renderDocument(
    <html lang="en">
      <head>
        <DocumentHead title={head.title} program={program} />
      </head>
      <body class={frame.program && 'in-program'}>
        <SkipLink />
        <Bar frame={frame} head={head} />
        {frame.program && (
          <Navigation program={frame.program} role={frame.role ?? 'OWNER'} path={pathOf(frame.address)} />
        )}
        <main id="main">
          <Flash address={frame.address} />
          <RoleContext.Provider value={frame.role ?? 'OWNER'}>
            <OwnAccountContext.Provider value={!program || program.ownerEmail === frame.session?.email}>
              <Head head={head} />
              {content}
            </OwnAccountContext.Provider>
          </RoleContext.Provider>
        </main>
      </body>
    </html>,
  );
};
