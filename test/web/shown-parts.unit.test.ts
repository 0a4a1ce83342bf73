import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../shared/contract/audit-log.ts';
import type { StoredExport } from '../../shared/domain/exports/export-record.ts';
import { noCounts, type StoredImport } from '../../shared/domain/imports/import-record.ts';
import type { UploadPreview } from '../../shared/domain/imports/preview-upload.ts';
import type { StoredErasure } from '../../shared/domain/privacy/erasure-record.ts';
import { Page } from '../../shared/platform/table/page.ts';
import { listPart } from '../../shared/web/lists/list-part.ts';
import { auditLogView } from '../../shared/web/pages/audit-log.tsx';
import { exportView } from '../../shared/web/pages/exports.tsx';
import { columnsView, importView } from '../../shared/web/pages/import.tsx';
import { importPath, importsView } from '../../shared/web/pages/imports.tsx';
import { erasureView } from '../../shared/web/pages/privacy.tsx';
import { SaleState } from '../../shared/web/pages/sales.tsx';
import { Charts } from '../../shared/web/pages/sales-chart.tsx';
import { htmlOf, linesOf, programShown } from './shown.ts';

// Parts of pages that are there in some cases only, each in a case with it and in one without.

Object.assign(process.env, { APP_URL: 'https://app.example', CURSOR_KEY: 'a key of tests' });

const now = new Date('2026-03-31T12:00:00.000Z');
const program = programShown();
const session = { id: 'session', email: program.ownerEmail, csrfToken: 'token', startedAt: now.getTime() };
const stored = {
  id: '019a0000-0000-7000-8000-0000000000e1',
  createdAt: now.toISOString(),
  updatedAt: now.toISOString(),
  version: 1,
};
const partOf = (path: string) => listPart({ id: 'list' } as Parameters<typeof listPart>[0], program.id, path, {});
const pageOf = <Item>(items: readonly Item[]) =>
  new Page(
    items.map((item, at) => ({ item, position: String(at) })),
    undefined,
  );
const cellsOf = (html: string, heading: string): string[] =>
  [...html.matchAll(new RegExp(`<td data-heading="${heading}"[^>]*>(.*?)</td>`, 'g'))].map(([, cell]) =>
    linesOf(cell ?? '').join(' '),
  );

describe('imports', () => {
  const record: StoredImport = {
    ...stored,
    importKind: 'affiliates',
    preset: null,
    fileName: 'people.csv',
    etag: null,
    mapping: null,
    makesEvents: false,
    status: 'PLANNED',
    position: 1,
    summedBatchId: null,
    rowCount: 2,
    planned: { ...noCounts, created: 1, refused: 1 },
    done: noCounts,
    message: null,
    finishedAt: null,
  };
  const shown = { session, program, record };

  it('each lead from the name of its file to its page', () => {
    const html = htmlOf(importsView(program, partOf('/imports'), pageOf([record])));
    expect(cellsOf(html, 'File')).toEqual([`people.csv (${importPath(program.id, record.id)})`]);
  });

  it('have the button for another one at the top, and in the middle where there are none', () => {
    const list = (items: StoredImport[]) => importsView(program, partOf('/imports'), pageOf(items));
    const text = 'Import a file';
    const atTop = (items: StoredImport[]) => renderToString(h('div', null, list(items).actions)).includes(text);
    expect([atTop([record]), htmlOf(list([record])).includes(text)]).toEqual([true, false]);
    expect([atTop([]), htmlOf(list([])).includes(text)]).toEqual([false, true]);
  });

  it('say of a refused row which one it is, in what column and why', () => {
    const html = htmlOf(importView(shown, [{ row: 3, column: 'email', message: 'Not an email' }]));
    expect(['Row', 'Column', 'Problem'].map((heading) => cellsOf(html, heading))).toEqual([
      ['3'],
      ['email'],
      ['Not an email'],
    ]);
  });

  describe('before they are checked', () => {
    const form = { url: 'https://files.example/', fields: {} };
    const preview = (rows: UploadPreview['rows']): string => {
      const headers = ['Email Address'];
      const mapping = { 'Email Address': 'email' };
      return htmlOf(columnsView(shown, form, { etag: 'etag', headers, mapping, missing: [], rows }));
    };
    const accepted = { row: 2, body: { email: 'amara@example.com' }, createdAt: now, given: new Set<string>() };
    const problem = { row: 3, column: 'email', message: 'Not an email' };

    it('show the first rows that are accepted apart from those that are refused', () => {
      const html = preview([
        { row: 2, accepted: accepted as never },
        { row: 3, refused: { row: 3, outcome: 'refused', problems: [problem] } },
      ]);
      const [first = '', refused = ''] = [...html.matchAll(/<table>.*?<\/table>/gs)].map(([table]) => table);
      expect([cellsOf(first, 'Row'), cellsOf(first, 'email')]).toEqual([['2'], ['amara@example.com']]);
      expect([cellsOf(refused, 'Row'), cellsOf(refused, 'Problem')]).toEqual([['3'], ['Not an email']]);
    });

    it('say nothing of first rows where the file has none', () => {
      expect(preview([{ row: 2, accepted: accepted as never }])).toContain('The first rows');
      expect(preview([])).not.toContain('The first rows');
    });
  });
});

it('an export says until when its file is there, and nothing of it before there is one', () => {
  const record: StoredExport = {
    ...stored,
    status: 'DONE',
    attempt: 1,
    counts: {},
    bytes: 1000,
    finishedAt: now.toISOString(),
    expiresAt: '2026-04-07T12:00:00.000Z',
    message: null,
  };
  const lines = (more: Partial<StoredExport>) => linesOf(htmlOf(exportView(program.id, { ...record, ...more }, now)));
  const done = lines({});
  expect(done.slice(done.indexOf('Available until') + 1)).toEqual([
    'Apr 7, 2026, 12:00 UTC',
    'The file is deleted then.',
  ]);
  expect(lines({ status: 'RUNNING', bytes: null, expiresAt: null })).not.toContain('Available until');
});

it.each([
  ['RUNNING', { refresh: '3' }],
  ['DONE', {}],
] as const)(
  'the page of an erasure that is %s has the headers %o, and says whether it refreshes itself',
  (status, headers) => {
    const erasure: StoredErasure = {
      ...stored,
      emailHash: 'hash',
      encryptedEmail: null,
      status,
      endedAt: null,
      erased: {},
      pass: 'FIND',
      step: 0,
      after: null,
      sweepAt: null,
    };
    const shown = erasureView(erasure);
    expect(shown.headers).toEqual(headers);
    expect(htmlOf(shown).includes('This page refreshes itself')).toBe(status === 'RUNNING');
  },
);

it('the audit log says for whom a background process made a change', () => {
  const member = { type: 'MEMBER', id: 'mei@example.com' } as const;
  const worker = { type: 'SYSTEM', id: 'totals' } as const;
  const who = (actor: AuditEntry['actor'], cause: AuditEntry['cause']): string | undefined => {
    const about = { action: 'UPDATED', recordType: 'SALE', recordId: 'sale', changes: {} } as const;
    const names = { keyNames: new Map(), recordNames: new Map() };
    const lists = { part: partOf('/audit-log'), page: pageOf([{ ...stored, ...about, actor, cause }]), names };
    const [, entry = ''] =
      /<ul class="log audit-log".*?>(.*)<\/ul>/s.exec(htmlOf(auditLogView(program.id, {}, lists))) ?? [];
    return /<span class="hint">(.*?)<\/span>/.exec(entry)?.[1];
  };
  expect(who(worker, { requestId: 'request', actor: member })).toBe('Background process totals, for mei@example.com');
  expect(who(worker, { requestId: null, actor: null })).toBe('Background process totals');
  expect(who(member, { requestId: 'request', actor: member })).toBe('mei@example.com');
});

it('the chart of sales says which day was the highest', () => {
  const day = { count: 1, codeCount: 0, linkCount: 0, clicks: 0, referrals: 0, refundsMinor: 0n, commissionMinor: 10n };
  const days = [
    { ...day, day: '2026-03-29', revenueMinor: 100n },
    { ...day, day: '2026-03-30', revenueMinor: 4200n },
    { ...day, day: '2026-03-31', revenueMinor: 300n },
  ];
  expect(renderToString(h(Charts, { days, currency: 'USD' }))).toContain(
    'The highest day was Mar 30, 2026 with $42.00.',
  );
});

it.each([
  ['ACTIVE', null, ['Active']],
  ['ACTIVE', 'HELD', ['Held for review']],
  ['ACTIVE', 'APPROVED', ['Active']],
  ['ACTIVE', 'REJECTED', ['Rejected']],
  ['REFUNDED', 'HELD', ['Refunded', 'Held for review']],
  ['REFUNDED', 'REJECTED', ['Refunded', 'Rejected']],
] as const)('a sale that is %s with the review %s is shown as %j', (status, reviewStatus, words) => {
  expect(linesOf(renderToString(h(SaleState, { status, reviewStatus })))).toEqual(words);
});
