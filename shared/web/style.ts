import { createHash } from 'node:crypto';
import text from './style.css';

export const style: string = text;

/** Changes with the content, so that browsers may keep the stylesheet. */
export const styleVersion = createHash('sha256').update(style).digest('hex').slice(0, 12);

export const stylePath = `/style/${styleVersion}`;
