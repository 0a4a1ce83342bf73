import { createHash } from 'node:crypto';
import { accentStyle, standardAccent } from '../../platform/color/accent.ts';
import text from './style.css';

export const style: string = text;

// A color that is adjusted in both schemes, so that a change of how colors are adjusted changes the version.
const adjustedColor = '#ffe600';

/** Changes with the content, so that browsers may keep the stylesheets. */
export const styleVersion = createHash('sha256')
  .update(style + accentStyle(standardAccent) + accentStyle(adjustedColor))
  .digest('hex')
  .slice(0, 12);

export const stylePath = `/style/${styleVersion}`;

/** Of a color such as `#ffe600`. */
export const accentPath = (color: string): string => `${stylePath}/${color.slice(1)}`;
