import type { WebPage } from '../page.ts';
import { connectPages } from './connect.ts';
import { deliveryPages } from './deliveries.ts';
import { programPages } from './programs.ts';
import { recordPages } from './records.ts';
import { settingsPages } from './settings.ts';
import { signInPages } from './sign-in.ts';
import { webhookPages } from './webhooks.ts';

// One list for each Lambda: its handlers are checked against it when it is compiled.
const declaredPages = [
  ...signInPages,
  ...programPages,
  ...recordPages,
  ...webhookPages,
  ...deliveryPages,
  ...settingsPages,
  ...connectPages,
] as const;

/** Every page that is declared, with its precise type. */
export type DeclaredPage = (typeof declaredPages)[number];

/** Every page and form action of the web application. Routes, Lambdas, permissions and security tests are read from it. */
export const pages: readonly WebPage[] = declaredPages;
