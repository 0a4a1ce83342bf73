import { expect, it } from 'vitest';
import { problemsInLog } from './log-check.ts';

const secrets = ['9f0c8c2e-5d2a-4b7e-9a51-c0ffee12ab34', 'whsec_Zm9vYmFyYmF6cXV4cXV1eA==', 'short'].join('\n');
const lineOf = (fields: object): string => JSON.stringify({ level: 'INFO', message: 'request', ...fields });

it.each([
  { is: 'a plain request', line: lineOf({ path: '/api/v1/sales', status: 200 }) },
  { is: 'a package with an @', line: lineOf({ stack: 'at node_modules/@aws-sdk/client.js' }) },
  { is: 'a word that is too short to be one', line: lineOf({ errorMessage: 'short' }) },
  { is: 'another id', line: lineOf({ programId: '019a0000-0000-7000-8000-c0ffee12ab35' }) },
])('a log with $is has no problem', ({ line }) => {
  expect(problemsInLog('sales', line, secrets)).toEqual([]);
});

it.each([
  { is: 'a token', line: lineOf({ token: '9f0c8c2e-5d2a-4b7e-9a51-c0ffee12ab34' }), words: '1 secrets' },
  { is: 'the end of a token', line: lineOf({ lastTwelve: 'c0ffee12ab34' }), words: '1 secrets' },
  { is: 'a secret', line: 'Error: whsec_Zm9vYmFyYmF6cXV4cXV1eA==\n    at sign', words: '1 secrets' },
  { is: 'an email address', line: lineOf({ errorMessage: 'no amara@example.com' }), words: 'an email address' },
  { is: 'a query', line: lineOf({ path: '/api/v1/sales?id=1' }), words: 'a query' },
  { is: 'a canary', line: 'x Canary7q2xKd9wUnspoken y', words: 'that a test sent' },
])('a log with $is is told with its function and line', ({ line, words }) => {
  const problems = problemsInLog('sales', `${lineOf({})}\n${line}\n`, secrets);
  expect(problems).toEqual([expect.stringContaining(words)]);
  expect(problems[0]).toContain('The log of sales');
  expect(problems[0]).toContain(line.split('\n')[0]);
});
