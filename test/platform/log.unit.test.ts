import { afterEach, expect, it, vi } from 'vitest';
import { logError, logInfo, logWarning } from '../../shared/platform/logs/log.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const linesOf = (output: 'log' | 'error') => {
  const lines: unknown[] = [];
  vi.spyOn(console, output).mockImplementation((line) => void lines.push(JSON.parse(String(line))));
  return lines;
};

it('a line is JSON with its level, message, time and function, and the fields that were given', () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'coupons');
  const lines = linesOf('log');
  logInfo('request', { status: 200, programId: undefined });
  logWarning('slow', { requestId: 'one' });
  const common = { timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), service: 'coupons' };
  expect(lines).toEqual([
    { level: 'INFO', message: 'request', ...common, status: 200 },
    { level: 'WARN', message: 'slow', ...common, requestId: 'one' },
  ]);
});

it('an error is logged with its name, message and stack, and without the records that it carries', () => {
  const lines = linesOf('error');
  const error = Object.assign(new TypeError('Transaction cancelled'), {
    CancellationReasons: [{ Item: { secret: { S: 'whsec_secret' } } }],
    cause: new Error('whsec_secret'),
  });
  logError('change not fanned out', error, { sequenceNumber: '1' });
  logError('nothing thrown', undefined);
  logError('a text thrown', 'no');
  expect(lines).toMatchObject([
    {
      level: 'ERROR',
      sequenceNumber: '1',
      errorName: 'TypeError',
      errorMessage: 'Transaction cancelled',
      stack: expect.stringMatching(/^TypeError: Transaction cancelled\n +at /),
    },
    { message: 'nothing thrown' },
    { errorMessage: 'no' },
  ]);
  expect(lines[1]).not.toHaveProperty('errorMessage');
  expect(JSON.stringify(lines)).not.toContain('whsec_secret');
});
