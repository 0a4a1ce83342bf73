/** “1 row”, “2 rows”. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`;

/** A message as a sentence of its own. */
export const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

export const Text = ({ label, children }: { label: string; children: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
  <section class="text" aria-label={label} tabIndex={0}>
    <pre>{children}</pre>
  </section>
);

/** Indented as people read it; `shownCharacters` cuts it. */
export const Json = ({ label, text, shownCharacters }: { label: string; text: string; shownCharacters?: number }) => {
  const indented = JSON.stringify(JSON.parse(text), null, 2);
  const isWhole = shownCharacters === undefined || indented.length <= shownCharacters;
  return <Text label={label}>{isWhole ? indented : `${indented.slice(0, shownCharacters)}\n…`}</Text>;
};
