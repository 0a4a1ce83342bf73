import type { ComponentChildren } from 'preact';
import type { StoredProgram } from '../domain/programs/repository.ts';
import { FormToken } from './controls.tsx';
import { renderDocument } from './render.ts';
import { sections } from './sections.ts';
import type { Session } from './session.ts';
import { stylePath } from './style.ts';

export interface Frame {
  readonly session: Session | undefined;
  readonly program: StoredProgram | undefined;
  readonly path: string;
}

const Account = ({ session }: { session: Session }) => (
  <form class="account" method="post" action="/sign-out">
    <FormToken session={session} />
    <span>{session.email}</span>
    <button class="quiet" type="submit">
      Sign out
    </button>
    <a href="/sign-out/everywhere">Sign out everywhere</a>
  </form>
);

const sectionOf = (path: string): string | undefined =>
  sections
    .map((section) => section.path)
    .filter((section) => path === section || (section !== '' && path.startsWith(`${section}/`)))
    .sort((one, other) => other.length - one.length)[0];

const ProgramSections = ({ program, path }: { program: StoredProgram; path: string }) => {
  const base = `/programs/${program.id}`;
  const current = sectionOf(path.slice(base.length));
  return (
    <nav class="sections" aria-label={`Program ${program.name}`}>
      <ul>
        {sections.map((section) => {
          const address = `${base}${section.path}`;
          const isCurrent = section.path === current;
          return (
            <li key={section.path}>
              <a href={address} aria-current={isCurrent ? (path === address ? 'page' : 'true') : undefined}>
                {section.label}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
};

export const documentOf = (
  { title, content }: { title: string; content: ComponentChildren },
  { session, program, path }: Frame,
): string =>
  renderDocument(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Affiliate programs`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={stylePath} />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <a class="home" href={session ? '/programs' : '/'}>
            Affiliate programs
          </a>
          {session && <Account session={session} />}
        </header>
        {program && <ProgramSections program={program} path={path} />}
        <main id="main">
          {program && <p class="program">{program.name}</p>}
          <h1>{title}</h1>
          {content}
        </main>
      </body>
    </html>,
  );
