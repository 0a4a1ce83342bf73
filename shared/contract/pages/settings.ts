import { apiKeyPages } from './api-keys.ts';
import { connectedAppPages } from './connected-apps.ts';
import { mailPages } from './mails.ts';
import { memberPages } from './members.ts';
import { privacyPages } from './privacy.ts';
import { programSettingsPages } from './program-settings.ts';

export const settingsPages = [
  ...programSettingsPages,
  ...apiKeyPages,
  ...connectedAppPages,
  ...memberPages,
  ...mailPages,
  ...privacyPages,
] as const;
