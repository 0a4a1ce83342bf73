import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accentStyle, accentTokens } from '../../shared/platform/color/accent.ts';

const channel = (part: number): number =>
  part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;

const luminanceOf = (hex: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => channel(Number.parseInt(hex.slice(at, at + 2), 16)));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrastOf = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`);

const style = readFileSync(new URL('../../shared/web/components/style.css', import.meta.url), 'utf8');

/** A token of the stylesheet, in light and in dark. */
const colorsOf = (name: string): readonly [light: string, dark: string] => {
  const [, light = '', dark = ''] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(style) ?? [];
  return [light, dark];
};
/** What text lies on. */
const backgrounds = ['page', 'surface', 'sunken', 'line'].map(colorsOf);

describe('an accent color', () => {
  it('of any choice leaves links, buttons and what lies on soft backgrounds legible, light and dark', () => {
    fc.assert(
      fc.property(anyColor, (color) => {
        const tokens = accentTokens(color);
        for (const mode of [0, 1] as const) {
          const text = colorsOf('text')[mode];
          const tokenOf = (name: string) => tokens[name]?.[mode] ?? '';
          for (const background of [...backgrounds.map((colors) => colors[mode]), tokenOf('--accent-soft')])
            expect(contrastOf(tokenOf('--accent'), background)).toBeGreaterThanOrEqual(4.5);
          expect(contrastOf(text, tokenOf('--accent-soft'))).toBeGreaterThanOrEqual(4.5);
          for (const button of ['--button', '--button-hover'])
            expect(contrastOf('#ffffff', tokenOf(button))).toBeGreaterThanOrEqual(4.5);
        }
      }),
      { examples: [['#ffffff'], ['#000000'], ['#ffe600'], ['#808080'], ['#00ffff']] },
    );
  });

  it('that is legible as it is stays as it was chosen', () => {
    expect(accentTokens('#a8201a')['--button']).toEqual(['#a8201a', '#a8201a']);
    expect(accentTokens('#a8201a')['--accent']?.[0]).toBe('#a8201a');
  });

  it('sets tokens that the stylesheet has, and nothing else', () => {
    const names = [...accentStyle('#ffe600').matchAll(/(--[\w-]+):/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(4);
    for (const name of names) expect(style).toContain(`  ${name}: light-dark(`);
    expect(accentStyle('#ffe600')).toMatch(/^:root\{[^{}<>]+\}$/);
  });
});
