import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ApiError } from '../../shared/contract/errors.ts';
import { csvDownload } from '../../shared/web/csv-download.ts';

async function* pagesOf(rows: number) {
  for (let made = 0; made < rows; made += 500)
    yield Array.from({ length: Math.min(500, rows - made) }, (_, at) => ({ number: made + at }));
}

const downloaded = (rows: number) =>
  csvDownload('sales', [{ heading: 'Number', value: ({ number }) => number }], pagesOf(rows));

it('a file has every row of every page, up to 20,000', async () => {
  const { compressed } = await downloaded(20_000);
  const lines = gunzipSync(compressed).toString().trimEnd().split('\r\n');
  expect([lines[0], lines[1], lines.at(-1), lines.length]).toEqual(['Number', '0', '19999', 20_001]);
});

it('a list of more rows is refused, with what to do, instead of cut', async () => {
  const refusal = downloaded(20_001);
  await expect(refusal).rejects.toBeInstanceOf(ApiError);
  await expect(refusal).rejects.toThrow(
    'more than 20,000 rows, which is the maximum of a file. Choose a shorter period',
  );
});
