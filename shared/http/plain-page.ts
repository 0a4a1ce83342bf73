import { plainHeaders } from './public-address.ts';

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** A page for people without an account: a title, a sentence and, where `button` names one, a form that posts nothing to its own address. */
export const plainPage = (title: string, text: string, button?: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${escaped(title)}</title><style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}h1{font-size:1.5rem}button{font:inherit;padding:.5rem 1rem}</style></head><body><h1>${escaped(title)}</h1><p>${escaped(text)}</p>${button === undefined ? '' : `<form method="post"><button>${escaped(button)}</button></form>`}</body></html>`;

/** It loads nothing, and no other site frames it. `formTarget` is `'self'` for a page with a button. */
export const plainPageHeaders = (formTarget: 'none' | 'self'): Readonly<Record<string, string>> => ({
  ...plainHeaders,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action '${formTarget}'; frame-ancestors 'none'; base-uri 'none'`,
});
