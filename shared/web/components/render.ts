import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** A whole HTML document. The library escapes all text. */
export const renderDocument = (html: VNode): string => `<!doctype html>${renderToString(html)}`;
