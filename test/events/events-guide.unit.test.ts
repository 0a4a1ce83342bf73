import { expect, it } from 'vitest';
import { eventCatalogue } from '../../events/catalogue.ts';

/** As the formatter prints it: a list of one short text is on one line. */
const jsonOf = (example: object): string =>
  JSON.stringify(example, null, 2).replaceAll(/\[\n\s+("[^"\n]{1,60}")\n\s+\]/g, '[$1]');

const section = ({ type, description, example }: (typeof eventCatalogue)[number]): string =>
  `## ${type}\n\n${description}\n\n\`\`\`json\n${jsonOf(example)}\n\`\`\`\n`;

it('the guide to events is what the catalogue says; `npx vitest run test/events/events-guide.unit.test.ts -u` writes it anew', async () => {
  const text = [
    '# Events',
    '',
    'Every type of event with an example of its body, made from the catalogue in `events/`. What they have in common, and how',
    'they are sent and checked, is in [Webhooks](webhooks.md).',
    '',
    ...eventCatalogue.map(section),
  ].join('\n');
  await expect(text).toMatchFileSnapshot('../../docs/webhook-events.md');
});
