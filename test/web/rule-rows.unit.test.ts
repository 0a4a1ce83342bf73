import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { applied, type Group, unstoredDefault } from '../../shared/domain/groups/rules.ts';
import { noForm } from '../../shared/domain/programs/application-form.ts';
import { unfilled } from '../../shared/web/components/controls.tsx';
import { applicationSettingsView } from '../../shared/web/pages/application-settings.tsx';
import { ProductRuleRows, TierRows } from '../../shared/web/pages/group-rows.tsx';
import { daysText, monthsText } from '../../shared/web/pages/group-words.tsx';
import { htmlOf, programShown } from './shown.ts';

Object.assign(process.env, { APP_URL: 'https://app.example' });

// Forms whose rows of fields are there without script, and the words of groups.

const program = programShown();
const { currency } = program;
const group: Group = applied(unstoredDefault(program), program);
const earning = { type: 'PERCENTAGE', rate: 30, amountMinor: null } as const;
const tier = { minimumRevenueMinor: null, minimumSales: 10, period: 'MONTH', ...earning } as const;
const refused = (values: Record<string, string>) => ({ ...unfilled, values });

const rowsIn = (html: string): number => html.match(/<fieldset/g)?.length ?? 0;
const isOpen = (html: string): boolean => /<details[^>]* open/.test(html);

describe('the rows of rules', () => {
  const tierRows = (values: Record<string, string>, tiers: Group['tiers'] = []) =>
    renderToString(h(TierRows, { group: { ...group, tiers: [...tiers] }, currency, filled: refused(values) }));
  const productRows = (values: Record<string, string>) =>
    renderToString(h(ProductRuleRows, { group: undefined, currency, filled: refused(values) }));

  it('are as many as the group has or the refused form had, blank ones left out', () => {
    expect(rowsIn(tierRows({}))).toBe(2);
    expect(rowsIn(tierRows({}, [tier]))).toBe(3);
    expect(rowsIn(tierRows({ 'tiers.3.rate': '5', 'productRules.4.rate': '5' }))).toBe(4);
    expect(rowsIn(productRows({ 'productRules.3.productIds': ' \n ' }))).toBe(2);
  });

  it('are unfolded where the group has some or the refused form had, of which a period alone is none', () => {
    expect(isOpen(tierRows({}))).toBe(false);
    expect(isOpen(tierRows({}, [tier]))).toBe(true);
    expect(isOpen(tierRows({ 'tiers.0.rate': '5' }))).toBe(true);
    expect(isOpen(tierRows({ 'tiers.0.period': 'MONTH', 'tiers.0.rate': '', 'productRules.0.rate': '5' }))).toBe(false);
    expect(isOpen(productRows({ 'productRules.0.rate': '5' }))).toBe(true);
  });
});

it('the choices of a stored question are lines of its field', () => {
  const questions = [{ question: 'How many readers?', choices: ['Few', 'Many'], isRequired: false }];
  const applicationForm = { ...noForm, questions };
  const session = { id: 'session', email: program.ownerEmail, csrfToken: 'token', startedAt: 0 };
  const html = htmlOf(applicationSettingsView(session, { ...program, applicationForm }, unfilled));
  const choices = [...html.matchAll(/name="questions\.\d\.choices"[^>]*>([^<]*)</g)].map(([, text]) => text?.trim());
  expect(choices).toEqual(['Few\nMany', '', '']);
});

it.each([
  [null, 'For ever'],
  [1, 'For 1 month'],
  [2, 'For 2 months'],
])('a commission for %s months is called %s', (months, words) => expect(monthsText(months)).toBe(words));

it.each([
  [1, '1 day'],
  [14, '14 days'],
])('%i days are called %s', (days, words) => expect(daysText(days)).toBe(words));
