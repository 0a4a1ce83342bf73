import {
  addApiKey,
  confirmApiKeyDeletion,
  removeApiKey,
  showApiKey,
  showApiKeys,
} from '../shared/contract/pages/api-keys.ts';
import { confirmDisconnection, disconnectApps, showConnectedApps } from '../shared/contract/pages/connected-apps.ts';
import { changeProgram, showProgramSettings } from '../shared/contract/pages/program-settings.ts';
import { apiKeyText, createApiKey, deleteApiKey, listApiKeys, readApiKey } from '../shared/domain/programs/api-keys.ts';
import { findConnection } from '../shared/domain/programs/repository.ts';
import { updateProgram } from '../shared/domain/programs/update-program.ts';
import { redirect } from '../shared/web/answers.ts';
import { unfilled } from '../shared/web/controls.tsx';
import { apiKeyDeletionView, apiKeysPath, apiKeysView, apiKeyView } from '../shared/web/pages/api-keys.tsx';
import { connectedAppsPath, connectedAppsView, disconnectionView } from '../shared/web/pages/connected-apps.tsx';
import { programSettingsPath, programSettingsView } from '../shared/web/pages/programs.tsx';
import { act, show, webArea } from '../shared/web/web-area.ts';
import { disconnect } from '../shared/webhooks/endpoints/disconnect.ts';
import { allSubscriptions } from '../shared/webhooks/endpoints/subscriptions.ts';

const connectedTo = async (programId: string) => {
  const [connection, subscriptions] = await Promise.all([findConnection(programId), allSubscriptions(programId)]);
  return { connection, subscriptions };
};

export const handler = webArea(
  show(showProgramSettings, ({ session, program, query }) =>
    programSettingsView(session, program, unfilled, { wasSaved: query.saved !== undefined }),
  ),

  act(
    changeProgram,
    async ({ program, form, now }) => {
      await updateProgram(program.id, form, now);
      return redirect(`${programSettingsPath(program.id)}?saved=1`);
    },
    ({ session, program }, filled) => programSettingsView(session, program, filled),
  ),

  show(showApiKeys, async ({ session, account, program }) =>
    apiKeysView({ session, programId: program.id, plan: account.plan }, await listApiKeys(program.id), unfilled),
  ),

  act(
    addApiKey,
    async ({ program, form, now }) => {
      const { keyId } = await createApiKey(program.id, form.name, now);
      return redirect(`${apiKeysPath(program.id)}/${keyId}`);
    },
    async ({ session, account, program }, filled) =>
      apiKeysView({ session, programId: program.id, plan: account.plan }, await listApiKeys(program.id), filled),
  ),

  show(showApiKey, async ({ program, parameters }) => {
    const key = await readApiKey(program.id, parameters.keyId);
    return apiKeyView(program.id, key, await apiKeyText(program.id, key));
  }),

  show(confirmApiKeyDeletion, async ({ session, program, parameters }) =>
    apiKeyDeletionView(session, program.id, await readApiKey(program.id, parameters.keyId)),
  ),

  act(removeApiKey, async ({ program, parameters }) => {
    await deleteApiKey(program.id, parameters.keyId);
    return redirect(apiKeysPath(program.id));
  }),

  show(showConnectedApps, async ({ account, program }) =>
    connectedAppsView(program.id, account.plan, await connectedTo(program.id)),
  ),

  show(confirmDisconnection, async ({ session, account, program }) =>
    disconnectionView(session, program.id, account.plan, await connectedTo(program.id)),
  ),

  act(disconnectApps, async ({ program }) => {
    await disconnect(program.id);
    return redirect(connectedAppsPath(program.id));
  }),
);
