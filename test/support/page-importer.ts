import { expect } from 'vitest';
import { type Browser, signedIn } from './browser.ts';

const attribute = (html: string, name: string): string =>
  new RegExp(`${name}="([^"]*)"`).exec(html)?.[1]?.replaceAll('&quot;', '"').replaceAll('&amp;', '&') ?? '';

/** What the form of columns has when it is shown: the etag of the upload and the guessed columns. */
export const fieldsOf = (html: string): Record<string, string> => ({
  etag: attribute(/<input[^>]*name="etag"[^>]*>/.exec(html)?.[0] ?? '', 'value'),
  ...Object.fromEntries(
    [...html.matchAll(/<select[^>]*name="(header\d+)".*?<\/select>/gs)].map(([select, name = '']) => [
      name,
      attribute(/<option[^>]*selected[^>]*>/.exec(select)?.[0] ?? '', 'value'),
    ]),
  ),
});

/** As a browser sends the form with the file. */
export const sendFile = (html: string, content: string | Buffer<ArrayBuffer>): Promise<Response> => {
  const form = /<form[^>]*multipart.*?<\/form>/s.exec(html)?.[0] ?? '';
  const body = new FormData();
  for (const [input] of form.matchAll(/<input type="hidden"[^>]*>/g))
    body.append(attribute(input, 'name'), attribute(input, 'value'));
  body.append('file', new Blob([content]), 'file');
  return fetch(attribute(form, 'action'), { method: 'POST', body, redirect: 'manual' });
};

/** A member who imports files into a program on the pages: what each step does, and all of them. */
export class PageImporter {
  readonly browser: Browser;
  readonly #base: string;

  private constructor(browser: Browser, programId: string) {
    this.browser = browser;
    this.#base = `/programs/${programId}/imports`;
  }

  static async of({ ownerEmail, programId }: { ownerEmail: string; programId: string }): Promise<PageImporter> {
    return new PageImporter(await signedIn(ownerEmail), programId);
  }

  /** The path of a new import, which waits for a file. */
  async begin(fields: Record<string, string>): Promise<string> {
    const { status, location } = await this.browser.submit(`${this.#base}/new`, fields);
    expect(status).toBe(303);
    return location?.pathname ?? '';
  }

  async upload(path: string, content: string): Promise<Response> {
    return sendFile((await this.browser.visit(path)).text, content);
  }

  async until(path: string, words: string): Promise<string> {
    let text = '';
    await expect
      .poll(async () => (text = (await this.browser.visit(path)).text), { timeout: 60_000, interval: 100 })
      .toContain(words);
    return text;
  }

  /** Uploads and checks a file, with the columns that are guessed. */
  async plan(fields: Record<string, string>, content: string): Promise<string> {
    const path = await this.begin(fields);
    const uploaded = await this.upload(path, content);
    expect([uploaded.status, new URL(uploaded.headers.get('location') ?? '').pathname]).toEqual([303, path]);
    const chosen = fieldsOf((await this.browser.visit(path)).text);
    expect((await this.browser.submit(`${path}/plan`, chosen)).status).toBe(303);
    await this.until(path, 'Ready to import');
    return path;
  }

  async start(path: string): Promise<void> {
    expect((await this.browser.submit(`${path}/run`)).status).toBe(303);
  }

  async importFile(fields: Record<string, string>, content: string): Promise<string> {
    const path = await this.plan(fields, content);
    await this.start(path);
    await this.until(path, 'Done');
    return path;
  }

  /** The lines of the report, without quotes. */
  async report(path: string): Promise<string[]> {
    return (await this.browser.visit(`${path}/report.csv`)).text.replaceAll('"', '').trim().split(/\r?\n/);
  }
}
