import { createHash } from 'node:crypto';

/** A page that loads, runs and sends nothing and refuses framing; its one style element is allowed by its hash. */
export class HtmlPage {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(text: string, style: string) {
    const hash = createHash('sha256').update(style).digest('base64');
    this.text = text;
    this.headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    };
  }
}
