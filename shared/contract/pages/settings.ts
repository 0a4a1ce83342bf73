import { apiKeyPages } from './api-keys.ts';
import { connectedAppPages } from './connected-apps.ts';
import { memberPages } from './members.ts';
import { programSettingsPages } from './program-settings.ts';

export const settingsPages = [...programSettingsPages, ...apiKeyPages, ...connectedAppPages, ...memberPages] as const;
