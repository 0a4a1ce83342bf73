import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { mailVariables } from '../../shared/contract/mail-settings.ts';
import type { MailKind } from '../../shared/contract/mails.ts';
import type { StoredAffiliate } from '../../shared/domain/affiliates/rules.ts';
import { noForm } from '../../shared/domain/programs/application-form.ts';
import type { StoredProgram } from '../../shared/domain/programs/repository.ts';
import { Page } from '../../shared/platform/table/page.ts';
import { unfilled } from '../../shared/web/components/controls.tsx';
import { listPart } from '../../shared/web/lists/list-part.ts';
import { applicationsView } from '../../shared/web/pages/applications.tsx';
import { portalSettingsView } from '../../shared/web/pages/portal-settings.tsx';
import { htmlOf, programShown } from './shown.ts';

// What pages of the dashboard say of the portal, by its settings.

beforeEach(() => {
  vi.stubEnv('APP_URL', 'https://app.example');
  vi.stubEnv(mailVariables.from, 'mail@app.example');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const session = { id: 'session', email: 'owner@example.com', csrfToken: 'token', startedAt: 0 };

const applicationsOf = (program: StoredProgram) => {
  const part = listPart({ id: 'list' } as unknown as Parameters<typeof listPart>[0], program.id, '/applications', {});
  return applicationsView({ session, program }, part, new Page<StoredAffiliate>([], undefined));
};

it.each([
  [true, true, 'Anybody can apply', 'Whoever applies appears here'],
  [true, false, 'It is off: nobody can apply', 'The application form is off.'],
  [false, true, 'The portal is off: nobody can apply', 'The portal is off.'],
  [false, false, 'The portal is off: nobody can apply', 'The portal is off.'],
])('with the portal on (%s) and its form open (%s), pages say %j and %j', (portalIsOn, isOpen, setting, list) => {
  const program = { ...programShown(), portalIsOn, applicationForm: { ...noForm, isOpen } };
  expect(htmlOf(portalSettingsView(session, program, unfilled))).toContain(setting);
  expect(htmlOf(applicationsOf(program))).toContain(list);
});

it.each<[MailKind[], string]>([
  [[], 'They wait to become affiliates, and get a mail with your decision.'],
  [['APPLICATION_DECLINED'], 'They wait to become affiliates, and get a mail if you approve them, and none otherwise.'],
  [['APPLICATION_APPROVED'], 'They wait to become affiliates, and get a mail if you decline them, and none otherwise.'],
  [['APPLICATION_APPROVED', 'APPLICATION_DECLINED'], 'No mail is sent: tell applicants yourself what you decided.'],
])('without the mails %j, applications say: %s', (off, lead) => {
  const kinds = Object.fromEntries(off.map((kind) => [kind, { isOff: true, subject: null, opening: null }]));
  const program = { ...programShown(), mails: { senderName: null, replyTo: null, kinds } };
  expect(applicationsOf(program).lead).toBe(lead);
});
