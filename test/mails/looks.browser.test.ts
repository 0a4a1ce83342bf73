import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../web/chromium.ts';
import { axeFile, problemsOfLook, takePicture } from '../web/sights.ts';
import { executablePath, launchChromium } from '../web/window.ts';
import { allKinds, sampleMail } from './samples.ts';

/** As a mail is read: on a phone and beside others, in the light and in the dark. */

let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => skip(!executablePath, noChromium));

const widths = [390, 700];
const schemes = ['light', 'dark'] as const;
const looks = allKinds.flatMap(({ kind }) =>
  widths.flatMap((width) => schemes.map((colorScheme) => ({ kind, width, colorScheme }))),
);

describe('a mail', () => {
  it.each(looks)('of the kind $kind fits $width pixels and is legible in the $colorScheme', async (look) => {
    const { kind, width, colorScheme } = look;
    const page = await browser?.newPage({ viewport: { width, height: 400 }, colorScheme });
    if (!page) throw new Error('There is no browser');
    await page.setContent(
      sampleMail(kind, {
        programName: 'Tulips and Everything Else from Amsterdam',
        accentColor: '#ffe600',
        to: `${'x'.repeat(64)}@example.com`,
      }).html,
    );
    await page.addScriptTag({ path: axeFile });
    expect(await problemsOfLook(page)).toEqual([]);
    await takePicture(page, `mail-${kind}-${width}-${colorScheme}`);
    await page.close();
  });
});
