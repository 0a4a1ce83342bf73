import type { ResponseBody } from '../gateway/response.ts';
import type { KeptMail, Mailbox } from './mailbox.ts';

export const mailsPath = '/local/mails';

const style = `
  :root { color-scheme: light dark }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
  table { width: 100%; border-collapse: collapse }
  th, td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid light-dark(#d8dce3, #3a4252); text-align: left; vertical-align: top; overflow-wrap: anywhere }`;

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const pageOf = (content: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mails</title><style>${style}</style></head><body><h1>Mails</h1>${content}</body></html>`;

const rowOf = ({ id, to, from, subject, sentAt }: KeptMail): string =>
  `<tr><td>${sentAt.slice(0, 19).replace('T', ' ')}</td><td>${escaped(from)}</td><td>${escaped(to)}</td>` +
  `<td><a href="${mailsPath}/${id}">${escaped(subject)}</a></td><td><a href="${mailsPath}/${id}/text">Text</a></td></tr>`;

const listOf = (mails: readonly KeptMail[]): string =>
  mails.length === 0
    ? '<p>No mail was sent since the start.</p>'
    : `<table><thead><tr><th>Sent</th><th>From</th><th>To</th><th>Subject</th><th></th></tr></thead><tbody>${mails.map(rowOf).join('')}</tbody></table>`;

/** As mail clients show it: no script, and nothing that could post. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; form-action 'none'; base-uri 'none'";

const response = (type: string, body: string, status = 200): ResponseBody => ({
  status,
  headers: {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  },
  body: Buffer.from(body),
});

const shown = ({ id: _id, ...mail }: KeptMail) => mail;

/** What was sent, as a list or as JSON, and each mail by itself. Undefined for every other path. */
export const respondFromMailbox = (
  mailbox: Mailbox,
  { method, path, accept }: { method: string; path: string; accept: string },
): ResponseBody | undefined => {
  if (path !== mailsPath && !path.startsWith(`${mailsPath}/`)) return undefined;
  if (method !== 'GET') return response('text/plain', 'Only GET', 405);
  if (path === mailsPath)
    return accept.includes('application/json')
      ? response('application/json', JSON.stringify(mailbox.all().map(shown)))
      : response('text/html', pageOf(listOf(mailbox.all())));
  const [id = '', form] = path.slice(mailsPath.length + 1).split('/');
  const mail = mailbox.find(id);
  if (!mail || (form !== undefined && form !== 'text')) return response('text/plain', 'There is no such mail', 404);
  return form === 'text' ? response('text/plain', mail.text) : response('text/html', mail.html);
};
