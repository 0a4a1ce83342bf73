import { appUrl, type Browser } from '../support/browser.ts';
import '../support/program.ts';

export const programsPage = () => `${appUrl()}/programs`;
export const ourCookies = (browser: Browser) =>
  browser.cookies.get(new URL(appUrl()).hostname) ?? new Map<string, string>();

/** Whether a browser sees the programs, or is asked to sign in. */
export const isSignedIn = async (browser: Browser) => (await browser.visit('/programs')).status === 200;
