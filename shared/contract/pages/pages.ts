import type { WebPage } from '../page.ts';
import { assetPages } from './assets.ts';
import { auditPages } from './audit-log.ts';
import { connectPages } from './connect.ts';
import { deliveryPages } from './deliveries.ts';
import { eventPages } from './events.ts';
import { exportPages } from './exports.ts';
import { importPages } from './imports.ts';
import { portalPages } from './portal.ts';
import { programPages } from './programs.ts';
import { recordPages } from './records.ts';
import { settingsPages } from './settings.ts';
import { signInPages } from './sign-in.ts';
import { webhookPages } from './webhooks.ts';

// One list per Lambda: its handlers are checked against the list at compile time.
const declaredPages = [
  ...signInPages,
  ...programPages,
  ...recordPages,
  ...assetPages,
  ...importPages,
  ...webhookPages,
  ...deliveryPages,
  ...eventPages,
  ...exportPages,
  ...auditPages,
  ...settingsPages,
  ...connectPages,
  ...portalPages,
] as const;

export type DeclaredPage = (typeof declaredPages)[number];

/** Routes, Lambdas, permissions and security tests are derived from it. */
export const pages: readonly WebPage[] = declaredPages;
