import { Marked, type Token, type Tokens } from 'marked';

interface Heading {
  level: number;
  anchor: string;
  text: string;
}

/** A part of a page, from one heading to the next. */
interface Section {
  anchor: string;
  heading: string;
  text: string;
}

export interface RenderedGuide {
  title: string;
  html: string;
  headings: Heading[];
  sections: Section[];
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** As GitHub makes them, so that links work there and here. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const plainText = (tokens: readonly Token[] = []): string =>
  tokens
    .map((token) => {
      if ('items' in token) return token.items.map((item: Tokens.ListItem) => plainText(item.tokens)).join(' ');
      if (token.type === 'table')
        return [token.header, ...token.rows]
          .flat()
          .map((cell: Tokens.TableCell) => plainText(cell.tokens))
          .join(' ');
      if ('tokens' in token && token.tokens) return plainText(token.tokens);
      return 'text' in token ? String(token.text) : ' ';
    })
    .join('');

class Anchors {
  readonly #seen = new Map<string, number>();

  next(heading: string): string {
    const anchor = anchorOf(heading);
    const times = this.#seen.get(anchor) ?? 0;
    this.#seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  }
}

/** The served address of a link in a guide; undefined for a file that is not served. */
type AddressOf = (href: string) => string | undefined;

const rendererOf = (anchors: Anchors, addressOf: AddressOf): Marked => {
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = anchors.next(plainText(tokens));
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${anchor}">${inner}</h1>\n`;
        const link = `<a class="anchor" href="#${anchor}" aria-label="Link to ${escaped(text.replaceAll('`', ''))}">#</a>`;
        return `<h${depth} id="${anchor}">${inner} ${link}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const address = addressOf(href);
        return address === undefined ? inner : `<a href="${escaped(address)}">${inner}</a>`;
      },
      code({ text, lang = '' }) {
        // A scrolled block must be reachable by keyboard.
        return `<div class="code"><pre tabindex="0"><code data-language="${escaped(lang)}">${escaped(text)}\n</code></pre></div>\n`;
      },
      table({ header, rows }) {
        const row = (cells: Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const body = rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="table" tabindex="0"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      // The guides hold no HTML; what looks like it is text.
      html: ({ text }) => escaped(text),
    },
  });
  return marked;
};

const sectionsOf = (tokens: readonly Token[], headings: readonly Heading[]): Section[] => {
  const sections: Section[] = [];
  let at = 0;
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = headings[at++];
      if (heading) sections.push({ anchor: heading.anchor, heading: heading.text, text: '' });
    } else {
      const last = sections.at(-1);
      if (last) last.text = `${last.text} ${plainText([token])}`.replaceAll(/\s+/g, ' ').trim();
    }
  }
  return sections;
};

/** A guide of `docs/` as HTML, with what the navigation and the search need of it. */
export const renderGuide = (markdown: string, addressOf: AddressOf): RenderedGuide => {
  const marked = rendererOf(new Anchors(), addressOf);
  const tokens = marked.lexer(markdown);
  const anchors = new Anchors();
  const headings = tokens.flatMap((token): Heading[] => {
    if (token.type !== 'heading') return [];
    const text = plainText(token.tokens);
    return [{ level: token.depth, anchor: anchors.next(text), text }];
  });
  return {
    title: headings[0]?.text ?? '',
    html: marked.parser(tokens),
    headings: headings.filter(({ level }) => level === 2 || level === 3),
    sections: sectionsOf(tokens, headings),
  };
};
