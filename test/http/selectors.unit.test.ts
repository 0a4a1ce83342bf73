import { describe, expect, it } from 'vitest';
import { ApiError } from '../../shared/contract/errors.ts';
import { respondWithOne, respondWithPage, selectorOf } from '../../shared/http/selectors.ts';
import { Page } from '../../shared/platform/table/page.ts';

const names = ['id', 'code'] as const;

describe('the selector of a query', () => {
  it.each<{ query: Record<string, unknown>; selector: object | undefined }>([
    { query: {}, selector: undefined },
    { query: { limit: 50, name: 'A' }, selector: undefined },
    { query: { id: undefined, name: 'A' }, selector: undefined },
    { query: { id: 'a' }, selector: { name: 'id', value: 'a' } },
    { query: { code: 'A', limit: 50 }, selector: { name: 'code', value: 'A' } },
    { query: { code: 'A', id: undefined, name: undefined }, selector: { name: 'code', value: 'A' } },
    { query: { code: 7 }, selector: { name: 'code', value: '7' } },
  ])('of $query is $selector', ({ query, selector }) => {
    expect(selectorOf(query, names)).toEqual(selector);
  });

  it.each<{ query: Record<string, unknown>; path: string; message: string }>([
    { query: { id: 'a', code: 'A' }, path: 'code', message: 'id and code both name a record: give one of them' },
    {
      query: { code: 'A', limit: 50, active: false },
      path: 'active',
      message: 'active filters a list and cannot be given together with code',
    },
  ])('with more in $query is refused', ({ query, path, message }) => {
    const refusal = (() => {
      try {
        return selectorOf(query, names);
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({ status: 400, message, details: [{ path, message }] });
  });
});

describe('the responses of stored records', () => {
  const doubled = async (records: readonly number[]) => records.map((record) => `${record}${record}`);
  const missing = async () => [];

  it('are one for one', async () => {
    expect(await respondWithOne(7, doubled)).toBe('77');
    await expect(respondWithOne(7, missing)).rejects.toMatchObject({ status: 404, message: 'Record not found' });
  });

  it('keep their positions in a page, and the next page', async () => {
    const stored = [7, 8].map((item) => ({ item, position: `position-${item}` }));
    const page = await respondWithPage(new Page(stored, 'next'), doubled);
    expect(page).toBeInstanceOf(Page);
    expect(page.entries).toEqual([
      { item: '77', position: 'position-7' },
      { item: '88', position: 'position-8' },
    ]);
    expect(page.next).toBe('next');
    await expect(respondWithPage(new Page(stored, undefined), missing)).rejects.toMatchObject({ status: 404 });
  });
});
