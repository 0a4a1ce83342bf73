type Rgb = readonly [number, number, number];

const rgbOf = (hex: string): Rgb => {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
};

const hexOf = (color: Rgb): string => `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

const mixed = (one: Rgb, other: Rgb, share: number): Rgb => {
  const part = (at: 0 | 1 | 2) => Math.round(one[at] * (1 - share) + other[at] * share);
  return [part(0), part(1), part(2)];
};

const linear = (part: number): number =>
  part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;

const luminance = ([red, green, blue]: Rgb): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);

/** From 1 to 21, as WCAG 2 defines it. */
const contrast = (one: Rgb, other: Rgb): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

/** WCAG AA requires 4.5 for text; a little more, because colors are rounded. */
const legibleContrast = 4.6;
/** Between a bar of the chart and its background. */
const visibleContrast = 1.5;

/** The color, mixed with `towards` until it has enough contrast on each of these backgrounds. */
const legible = (color: Rgb, towards: Rgb, on: readonly Rgb[], least = legibleContrast): Rgb => {
  for (let share = 0; share < 1; share += 0.02) {
    const candidate = mixed(color, towards, share);
    if (on.every((background) => contrast(candidate, background) >= least)) return candidate;
  }
  return towards;
};

const [white, black] = [rgbOf('#ffffff'), rgbOf('#000000')];

/** The backgrounds of text in style.css. */
const backgrounds = {
  light: ['#f6f7f9', '#ffffff', '#f1f3f6', '#e2e5ea'].map(rgbOf),
  dark: ['#0e1116', '#161a21', '#1d222b', '#272d38'].map(rgbOf),
};
const surfaceInTheDark = rgbOf('#161a21');

/** Of a program that has not chosen a color. */
export const standardAccent = '#4f46e5';

/** The tokens of style.css that depend on a program's color, such as `#ffe600`, adjusted so that text stays legible. */
export const accentTokens = (color: string): Readonly<Record<string, readonly [light: string, dark: string]>> => {
  const chosen = rgbOf(color);
  const [soft, softInTheDark] = [mixed(chosen, white, 0.88), mixed(chosen, surfaceInTheDark, 0.78)];
  const accent = legible(chosen, black, [...backgrounds.light, soft]);
  const accentInTheDark = legible(chosen, white, [...backgrounds.dark, softInTheDark]);
  const button = legible(chosen, black, [white]);
  const revenue = legible(mixed(chosen, white, 0.4), accent, [white], visibleContrast);
  const both = (value: Rgb) => [hexOf(value), hexOf(value)] as const;
  return {
    '--accent': [hexOf(accent), hexOf(accentInTheDark)],
    '--accent-soft': [hexOf(soft), hexOf(softInTheDark)],
    '--button': both(button),
    '--button-hover': both(mixed(button, black, 0.12)),
    '--chart-commission': [hexOf(accent), hexOf(accentInTheDark)],
    '--chart-revenue': [hexOf(revenue), hexOf(mixed(accentInTheDark, surfaceInTheDark, 0.55))],
  };
};

export const accentStyle = (color: string): string => {
  const tokens = Object.entries(accentTokens(color));
  return `:root{${tokens.map(([name, [light, dark]]) => `${name}:light-dark(${light},${dark})`).join(';')}}`;
};
