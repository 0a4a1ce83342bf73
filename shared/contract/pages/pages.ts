import type { WebPage } from '../page.ts';
import { apiKeyPages } from './api-keys.ts';
import { connectPages } from './connect.ts';
import { connectedAppPages } from './connected-apps.ts';
import { deliveryPages } from './deliveries.ts';
import { programSettingsPages } from './program-settings.ts';
import { programPages } from './programs.ts';
import { recordPages } from './records.ts';
import { signInPages } from './sign-in.ts';
import { webhookPages } from './webhooks.ts';

/** Every page and form action of the web application. Routes, Lambdas, permissions and security tests are read from it. */
export const pages: readonly WebPage[] = [
  ...signInPages,
  ...programPages,
  ...recordPages,
  ...webhookPages,
  ...deliveryPages,
  ...programSettingsPages,
  ...apiKeyPages,
  ...connectedAppPages,
  ...connectPages,
];
