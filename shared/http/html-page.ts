import { createHash } from 'node:crypto';

/**
 * A page for people. It may load nothing, run nothing, send nothing and be framed by nobody; the one style sheet inside
 * it is allowed by its hash.
 */
export class HtmlPage {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;

  /** `style` is the exact text of the page's one style element. */
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
