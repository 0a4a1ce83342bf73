import type { Page } from 'playwright-core';

/** WCAG AA: 4.5 for text, 3 for what shows where the keyboard is. */
const [leastOfText, leastOfOutline] = [4.5, 3];

/** Runs in the page: every button whose text or outline cannot be read as it is now, hidden ones included. */
const illegibleOnes = ([state, ofText, ofOutline]: readonly [string, number, number]): string[] => {
  type Color = readonly [number, number, number, number];
  const colorOf = (text: string): Color => {
    const parts = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(text);
    if (!parts) throw new Error(`${text} is no color that this test can read`);
    const [red = 0, green = 0, blue = 0, alpha = 1] = parts.slice(1).map((part) => Number(part ?? 1));
    return [red, green, blue, alpha];
  };
  /** The nearest color behind an element; what is half transparent counts as a color. */
  const behind = (element: Element | null): Color => {
    if (!element) return [255, 255, 255, 1];
    const own = colorOf(getComputedStyle(element).backgroundColor);
    return own[3] > 0 ? own : behind(element.parentElement);
  };
  const luminance = ([red, green, blue]: Color): number => {
    const linear = (part: number) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  };
  const contrast = (one: Color, other: Color): number => {
    const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  return [...document.querySelectorAll('button, .button')].flatMap((button) => {
    const { color, outlineColor, outlineStyle, filter } = getComputedStyle(button);
    const problems = [
      contrast(colorOf(color), behind(button)) < ofText && 'text',
      // A filter changes colors after they are computed, so this test could not see it.
      filter !== 'none' && 'filter',
      state === 'focus-visible' &&
        (outlineStyle === 'none' || contrast(colorOf(outlineColor), behind(button.parentElement)) < ofOutline) &&
        'outline',
    ];
    return problems.filter(Boolean).map((problem) => `${state} ${problem}: ${button.outerHTML.slice(0, 120)}`);
  });
};

const selectors = 'button, .button';

/** The buttons that cannot be read while the mouse is over them, or while the keyboard is at them. */
export const illegibleButtons = async (page: Page): Promise<string[]> => {
  const session = await page.context().newCDPSession(page);
  for (const domain of ['DOM.enable', 'CSS.enable'] as const) await session.send(domain);
  const { root } = await session.send('DOM.getDocument');
  const { nodeIds } = await session.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: selectors });
  const found: string[] = [];
  for (const state of ['hover', 'focus-visible']) {
    await Promise.all(
      nodeIds.map((nodeId) => session.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: [state] })),
    );
    found.push(...(await page.evaluate(illegibleOnes, [state, leastOfText, leastOfOutline] as const)));
  }
  await session.detach();
  return found;
};
