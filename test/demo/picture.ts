import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import * as z from 'zod';
import { findChromium, noChromium } from '../web/chromium.ts';

// `npx node test/demo/picture.ts`: the overview of the demo's program on a running local stack, as docs/dashboard.png shows it.
const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '.local' },
    file: { type: 'string', default: 'docs/dashboard.png' },
  },
});

const Stack = z.object({ appUrl: z.string(), programId: z.string(), email: z.string(), password: z.string() });
const { appUrl, programId, email, password } = Stack.parse(
  JSON.parse(readFileSync(`${options.data}/stack.json`, 'utf8')),
);

const executablePath = findChromium();
if (!executablePath) throw new Error(noChromium);
const browser = await chromium.launch({ executablePath });
try {
  const page = await browser.newPage({
    baseURL: appUrl,
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 1.5,
    colorScheme: 'light',
    locale: 'en-US',
  });
  await page.goto(`/programs/${programId}`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: /sign in|continue/i }).click();
  await page.waitForURL(`**/programs/${programId}`);
  await page.screenshot({ path: options.file });
  console.log(`${options.file} shows the overview`);
} finally {
  await browser.close();
}
