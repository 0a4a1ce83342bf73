import { apiKeyPages } from './api-keys.ts';
import { connectedAppPages } from './connected-apps.ts';
import { programSettingsPages } from './program-settings.ts';

export const settingsPages = [...programSettingsPages, ...apiKeyPages, ...connectedAppPages] as const;
