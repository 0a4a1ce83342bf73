import type { StoredProgram } from '../../domain/programs/repository.ts';
import { LinkButton, Section } from '../components/blocks.tsx';
import { Field, type Filled, PostForm, TickBox, unfilled } from '../components/controls.tsx';
import { CopyField } from '../components/copyable.tsx';
import { type View, view } from '../responses.ts';
import { addressOf } from '../session/app-url.ts';
import type { Session } from '../session/session.ts';
import { portalPath } from './portal-path.ts';

export const portalSettingsPath = (programId: string): string => `/programs/${programId}/settings/portal`;

export const portalSettingsView = (session: Session, program: StoredProgram, filled: Filled): View =>
  view(
    'Portal',
    <>
      <div class="card form">
        <CopyField name="portal-address" label="Address" text={addressOf(portalPath(program)).href} />
        <p class="hint">
          Affiliates sign in here. To sign them in from your own site,{' '}
          <a href="/docs/api-guide">create a link by POST /portal-links</a>.
        </p>
      </div>
      <div class="card form">
        <PostForm session={session} action={portalSettingsPath(program.id)} filled={filled}>
          <TickBox
            name="portalIsOn"
            label="Affiliates can sign in to the portal"
            checked={filled === unfilled ? program.portalIsOn : 'portalIsOn' in filled.values}
          />
          <Field
            name="logoUrl"
            label="Logo"
            hint="The https address of an image, shown in place of the program’s name"
            initial={program.logoUrl ?? ''}
            filled={filled}
            maxLength={2000}
            inputMode="url"
          />
          <Field
            name="embeddingOrigins"
            label="Sites that may embed the portal"
            hint="One origin per line, such as https://shop.example. No other site can show the portal in a frame."
            initial={program.embeddingOrigins.join('\n')}
            filled={filled}
            lines={3}
            maxLength={5000}
          />
          <div class="form-actions">
            <button type="submit">Save</button>
          </div>
        </PostForm>
      </div>
      <Section
        heading="Application form"
        actions={
          <LinkButton quiet needs="OWNER" to={`${portalSettingsPath(program.id)}/application`}>
            Edit
          </LinkButton>
        }
      >
        <p>
          {program.applicationForm?.isOpen && program.portalIsOn
            ? 'Anybody can apply to become an affiliate.'
            : `${program.portalIsOn ? 'It' : 'The portal'} is off: nobody can apply to become an affiliate.`}
        </p>
      </Section>
    </>,
    { lead: 'Where affiliates see their links, codes, sales and payouts, in the name and color of the program.' },
  );
