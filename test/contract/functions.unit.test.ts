import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { functionNames } from '../../infra/bundle.ts';
import { functionsOf, routesOf } from '../../shared/contract/routes.ts';
import { workers } from '../../shared/contract/workers.ts';

const named = [
  ...functionsOf(routesOf('automation')).map(({ name, routes }) => ({
    name,
    from: routes.map(({ path }) => path).join(', '),
  })),
  ...workers.map(({ id }) => ({ name: id, from: 'shared/contract/workers.ts' })),
  { name: 'not-found', from: 'every other path' },
];

it.each(named)('the Lambda $name of $from is a file of functions/ with a handler', ({ name }) => {
  const file = fileURLToPath(new URL(`../../functions/${name}.ts`, import.meta.url));
  expect(readFileSync(file, 'utf8')).toMatch(/^export const handler\b/m);
});

it('every file of functions/ is a Lambda of the contract', () => {
  expect(functionNames()).toEqual(named.map(({ name }) => name).sort());
});
