import type { Block } from './content.ts';

const textOfBlock = (block: Block): string => {
  switch (block.kind) {
    case 'paragraph':
    case 'note':
      return block.text;
    case 'facts':
      return block.facts.map(({ label, value }) => `${label}: ${value}`).join('\n');
    case 'button':
      return `${block.label}:\n${block.url}`;
  }
};

/** The plain text of a mail, which says all that its HTML says. */
export const mailText = (blocks: readonly Block[], footer: readonly string[]): string =>
  `${blocks.map(textOfBlock).join('\n\n')}\n\n-- \n${footer.join('\n')}\n`;
