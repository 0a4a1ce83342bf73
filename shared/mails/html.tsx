import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { accentTokens, standardAccent } from '../platform/color/accent.ts';
import type { Block } from './content.ts';

// Tables and styles of their own on each element: what mail clients show alike. Those that know the dark get it by classes.

const light = { page: '#f6f7f9', card: '#ffffff', text: '#171a21', muted: '#5a6372', line: '#e2e5ea' } as const;
const dark = { page: '#0e1116', card: '#161a21', text: '#e8ebf1', muted: '#9ea8b7', line: '#272d38' } as const;
const font = "-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

const styleInTheDark = (link: string): string =>
  `@media (prefers-color-scheme: dark) {
.page { background: ${dark.page} !important }
.card { background: ${dark.card} !important; border-right-color: ${dark.line} !important; border-bottom-color: ${dark.line} !important; border-left-color: ${dark.line} !important }
.text { color: ${dark.text} !important }
.muted { color: ${dark.muted} !important }
.line { border-color: ${dark.line} !important }
.link { color: ${link} !important }
}`;

interface Colors {
  readonly button: string;
  readonly link: string;
  readonly linkInTheDark: string;
}

const colorsOf = (accentColor: string | null | undefined): Colors => {
  const tokens = accentTokens(accentColor ?? standardAccent);
  const [link = light.text, linkInTheDark = dark.text] = tokens['--accent'] ?? [];
  return { button: tokens['--button']?.[0] ?? link, link, linkInTheDark };
};

const Row = ({ children, space = 16 }: { children: ComponentChildren; space?: number }) => (
  <tr>
    <td style={`padding:0 0 ${space}px`}>{children}</td>
  </tr>
);

const Button = ({ label, url, colors }: { label: string; url: string; colors: Colors }) => (
  <>
    <table role="presentation" cellpadding="0" cellspacing="0">
      <tr>
        <td style={`background:${colors.button};border-radius:8px`}>
          <a
            href={url}
            style={`display:inline-block;padding:12px 20px;color:#ffffff;font:600 16px/1.25 ${font};text-decoration:none`}
          >
            {label}
          </a>
        </td>
      </tr>
    </table>
    <p class="muted" style={`margin:12px 0 0;color:${light.muted};font:13px/1.5 ${font}`}>
      Or copy this address:
      <br />
      <a class="link" href={url} style={`color:${colors.link};word-break:break-all`}>
        {url}
      </a>
    </p>
  </>
);

/** Fits beside a label on a phone. */
const maxUnbroken = 25;

const Facts = ({ facts }: Extract<Block, { kind: 'facts' }>) => (
  <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
    {facts.map(({ label, value }) => (
      <tr key={label}>
        <td
          class="muted line"
          style={`padding:8px 12px 8px 0;border-bottom:1px solid ${light.line};color:${light.muted};font:15px/1.5 ${font};word-break:normal`}
        >
          {label}
        </td>
        <td
          class="text line"
          align="right"
          style={`padding:8px 0;border-bottom:1px solid ${light.line};color:${light.text};font:600 15px/1.5 ${font};word-break:${value.length > maxUnbroken ? 'break-word' : 'normal'}`}
        >
          {value}
        </td>
      </tr>
    ))}
  </table>
);

const withLineBreaks = (text: string) =>
  text
    .split('\n')
    .flatMap((line, at) => [<br key={at} />, line])
    .slice(1);

const BlockView = ({ block, colors }: { block: Block; colors: Colors }) => {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p class="text" style={`margin:0;color:${light.text};font:16px/1.5 ${font}`}>
          {withLineBreaks(block.text)}
        </p>
      );
    case 'note':
      return (
        <p class="muted" style={`margin:0;color:${light.muted};font:14px/1.5 ${font}`}>
          {block.text}
        </p>
      );
    case 'facts':
      return <Facts {...block} />;
    case 'button':
      return <Button {...block} colors={colors} />;
  }
};

export interface MailBrand {
  readonly name: string;
  readonly accentColor: string | null | undefined;
}

interface Document {
  readonly brand: MailBrand;
  readonly subject: string;
  readonly blocks: readonly Block[];
  readonly footer: string;
  readonly unsubscribeUrl: string | undefined;
}

const Card = ({ brand: { name }, blocks, colors }: Pick<Document, 'brand' | 'blocks'> & { colors: Colors }) => (
  <table
    role="presentation"
    class="card"
    width="100%"
    cellpadding="0"
    cellspacing="0"
    style={`background:${light.card};border:1px solid ${light.line};border-top:4px solid ${colors.button};border-radius:12px`}
  >
    <tr>
      <td style="padding:24px 24px 8px">
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
          <Row space={20}>
            <p class="text" style={`margin:0;color:${light.text};font:700 20px/1.3 ${font}`}>
              {name}
            </p>
          </Row>
          {blocks.map((block, at) => (
            <Row key={at}>
              <BlockView block={block} colors={colors} />
            </Row>
          ))}
        </table>
      </td>
    </tr>
  </table>
);

const Footer = ({ text, unsubscribeUrl }: { text: string; unsubscribeUrl: string | undefined }) => (
  <p class="muted" style={`margin:16px 8px;color:${light.muted};font:13px/1.5 ${font}`}>
    {text}
    {unsubscribeUrl !== undefined && (
      <>
        <br />
        <a class="muted" href={unsubscribeUrl} style={`color:${light.muted}`}>
          Do not send me mails like this
        </a>
      </>
    )}
  </p>
);

/** The HTML of a mail. The library escapes all text. */
export const mailHtml = ({ brand, subject, blocks, footer, unsubscribeUrl }: Document): string => {
  const colors = colorsOf(brand.accentColor);
  const html = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{subject}</title>
        <style>{styleInTheDark(colors.linkInTheDark)}</style>
      </head>
      <body class="page" style={`margin:0;padding:0;background:${light.page}`}>
        <table
          role="presentation"
          class="page"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          style={`background:${light.page}`}
        >
          <tr>
            <td align="center" style="padding:24px 12px;word-break:break-word">
              <table
                role="presentation"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                style="max-width:560px;text-align:left"
              >
                <tr>
                  <td>
                    <Card brand={brand} blocks={blocks} colors={colors} />
                    <Footer text={footer} unsubscribeUrl={unsubscribeUrl} />
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(html)}`;
};
