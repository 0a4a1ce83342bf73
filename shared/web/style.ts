import { createHash } from 'node:crypto';
import text from './style.css';

/** The stylesheet of every page. */
export const style: string = text;

/** Changes with the content. */
export const styleVersion = createHash('sha256').update(style).digest('hex').slice(0, 12);

/** The address of the stylesheet, which browsers may keep for good. */
export const stylePath = `/style/${styleVersion}`;
