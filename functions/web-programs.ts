import { ApiError, fieldError } from '../shared/contract/errors.ts';
import { connectPages } from '../shared/contract/pages/connect.ts';
import { programPages, showPrograms } from '../shared/contract/pages/programs.ts';
import { settingsPages } from '../shared/contract/pages/settings.ts';
import { readLastUses } from '../shared/domain/access/last-use.ts';
import { apiKeyText, createApiKey, deleteApiKey, listApiKeys, readApiKey } from '../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../shared/domain/programs/connection.ts';
import { programsOfMember } from '../shared/domain/programs/members.ts';
import { createProgram, deleteProgram } from '../shared/domain/programs/programs.ts';
import { allApiKeys, apiKeys, programs, programsOf } from '../shared/domain/programs/repository.ts';
import { recordReveal } from '../shared/domain/programs/reveals.ts';
import { updatePortal } from '../shared/domain/programs/update-portal.ts';
import { updateProgram } from '../shared/domain/programs/update-program.ts';
import { standardAccent } from '../shared/platform/color/accent.ts';
import { SignInRequired } from '../shared/web/checks.ts';
import { unfilled } from '../shared/web/components/controls.tsx';
import { withFlash } from '../shared/web/components/flash.ts';
import { listPart } from '../shared/web/lists/list-part.ts';
import { chosenPeriod } from '../shared/web/lists/period.ts';
import { apiKeyDeletionView, apiKeysPath, apiKeysView, apiKeyView } from '../shared/web/pages/api-keys.tsx';
import { chooseProgramView } from '../shared/web/pages/connect.tsx';
import { connectedAppsPath, connectedAppsView, disconnectionView } from '../shared/web/pages/connected-apps.tsx';
import { overviewView } from '../shared/web/pages/overview.tsx';
import { readOverview } from '../shared/web/pages/overview-figures.ts';
import { portalSettingsPath, portalSettingsView } from '../shared/web/pages/portal-settings.tsx';
import {
  newProgramView,
  programDeletionView,
  programSettingsPath,
  programSettingsView,
  programsView,
} from '../shared/web/pages/programs.tsx';
import { enteredReviewRules } from '../shared/web/pages/review-settings.tsx';
import { applicationFormHandlers } from '../shared/web/records/application-form.ts';
import { mailHandlers } from '../shared/web/records/mails.ts';
import { memberHandlers } from '../shared/web/records/members.ts';
import { privacyHandlers } from '../shared/web/records/privacy.ts';
import { redirect } from '../shared/web/responses.ts';
import { canBeRemembered } from '../shared/web/session/pending-sign-in.ts';
import {
  checkedRedirectUri,
  connectedAddress,
  expectPlatform,
  platformSetup,
} from '../shared/web/session/platforms.ts';
import { webArea } from '../shared/web/web.ts';
import { disconnect } from '../shared/webhooks/endpoints/disconnect.ts';
import { allSubscriptions } from '../shared/webhooks/endpoints/subscriptions.ts';

const connectedTo = async (programId: string) => {
  const [keys, subscriptions] = await Promise.all([allApiKeys(programId), allSubscriptions(programId)]);
  const connection = keys.find(({ kind }) => kind === 'CONNECTOR');
  const lastUses = connection && (await readLastUses([connection.tokenHash]));
  return { connection, subscriptions, lastUsedAt: lastUses?.get(connection?.tokenHash ?? '') };
};

export const handler = webArea([...programPages, ...settingsPages, ...connectPages], {
  showPrograms: async ({ session, account, query }) => {
    const part = listPart(showPrograms, account.email, '/programs', query);
    const [own, others] = await Promise.all([
      part.isFurtherOn ? [] : programsOf(account.email),
      programsOfMember(account.email, part.request),
    ]);
    return programsView({ session, account }, [...own, ...others.programs], others.invitations, {
      part,
      next: others.next,
    });
  },

  showNewProgram: ({ session }) => newProgramView(session, unfilled),

  addProgram: {
    submit: async ({ session, form, now }) => {
      const { programId } = await createProgram({ ...form, ownerEmail: session.email }, now);
      return redirect(`/programs/${programId}`);
    },
    showAgain: ({ session }, filled) => newProgramView(session, filled),
  },

  showProgram: async ({ program, query, now }) => {
    const chosen = chosenPeriod(query, now);
    return overviewView(program, chosen, await readOverview(program.id, chosen, now));
  },

  showProgramSettings: ({ session, program }) => programSettingsView(session, program, unfilled),

  changeProgram: {
    submit: async ({ program, form, now }) => {
      const { accentColor, allowSelfReferral, showsCodes, ...others } = form;
      const { reviewRules, edit } = enteredReviewRules(program, others);
      const ticked = { allowSelfReferral: allowSelfReferral === 'on', showsCodes: showsCodes === 'on' };
      const color = accentColor && { accentColor: accentColor === standardAccent ? null : accentColor };
      await updateProgram(program.id, { ...edit, ...color, ...ticked, reviewRules }, now);
      return redirect(withFlash(programSettingsPath(program.id), 'saved'));
    },
    showAgain: ({ session, program }, filled) => programSettingsView(session, program, filled),
  },

  showPortalSettings: ({ session, program }) => portalSettingsView(session, program, unfilled),

  changePortalSettings: {
    submit: async ({ program, form: { logoUrl = null, ...settings }, now }) => {
      await updatePortal(program.id, { ...settings, logoUrl }, now);
      return redirect(withFlash(portalSettingsPath(program.id), 'saved'));
    },
    showAgain: ({ session, program }, filled) => portalSettingsView(session, program, filled),
  },

  ...applicationFormHandlers,

  confirmProgramDeletion: ({ session, program }) => programDeletionView(session, program, unfilled),

  removeProgram: {
    submit: async ({ program, form }) => {
      if (form.name !== program.name) throw fieldError('name', 'name must be exactly the name of this program');
      await deleteProgram(program.id);
      return redirect(withFlash('/programs', 'program-deleted'));
    },
    showAgain: ({ session, program }, filled) => programDeletionView(session, program, filled),
  },

  ...memberHandlers,
  ...mailHandlers,
  ...privacyHandlers,

  showApiKeys: async ({ session, program }) =>
    apiKeysView({ session, programId: program.id, plan: program.plan }, await listApiKeys(program.id), unfilled),

  addApiKey: {
    submit: async ({ session, program, form, now }) => {
      const { keyId } = await createApiKey(program.id, form.name, now, session.email);
      return redirect(`${apiKeysPath(program.id)}/${keyId}`);
    },
    showAgain: async ({ session, program }, filled) =>
      apiKeysView({ session, programId: program.id, plan: program.plan }, await listApiKeys(program.id), filled),
  },

  showApiKey: async ({ session, program, parameters, query: { replaces }, now }) => {
    const [key, replaced] = await Promise.all([
      readApiKey(program.id, parameters.keyId),
      replaces && apiKeys.get(program.id, replaces),
    ]);
    const [text, seenBy] = await Promise.all([
      apiKeyText(program.id, key),
      recordReveal('API_KEY', program.id, key, session.email, now),
    ]);
    return apiKeyView(program.id, { ...key, seenBy }, text, replaced || undefined);
  },

  replaceApiKey: async ({ session, program, parameters: { keyId }, now }) => {
    const { name } = await readApiKey(program.id, keyId);
    const made = await createApiKey(program.id, name, now, session.email);
    return redirect(`${apiKeysPath(program.id)}/${made.keyId}?replaces=${keyId}`);
  },

  confirmApiKeyDeletion: async ({ session, program, parameters }) =>
    apiKeyDeletionView(session, program.id, await readApiKey(program.id, parameters.keyId)),

  removeApiKey: async ({ program, parameters, now }) => {
    await deleteApiKey(program.id, parameters.keyId, now);
    return redirect(apiKeysPath(program.id));
  },

  showConnectedApps: async ({ program }) =>
    connectedAppsView(program.id, program.plan, await connectedTo(program.id), platformSetup()),

  confirmDisconnection: async ({ session, program }) =>
    disconnectionView(session, program.id, program.plan, await connectedTo(program.id), platformSetup()),

  disconnectApps: async ({ program, now }) => {
    await disconnect(program.id, now);
    return redirect(connectedAppsPath(program.id));
  },

  chooseProgram: async ({ session, account, parameters, query, address }) => {
    expectPlatform(parameters.platform);
    const redirectUri = checkedRedirectUri(query.redirect_uri);
    if (!canBeRemembered(address))
      throw fieldError('state', 'state and redirect_uri are too long for a sign-in to come back to them');
    if (!session || !account) throw new SignInRequired();
    const programs = await programsOf(session.email);
    return chooseProgramView({ session, address, redirectUri, programs, plan: account.plan });
  },

  connectProgram: async ({ session, parameters, query, form, now }) => {
    expectPlatform(parameters.platform);
    const redirectUri = checkedRedirectUri(query.redirect_uri);
    const program = await programs.get(form.programId, form.programId);
    if (program?.ownerEmail !== session.email) throw new ApiError('program_not_found');
    const code = await connectorToken(program.id, redirectUri.host, now, session.email);
    return redirect(connectedAddress(redirectUri, code, query.state));
  },
});
