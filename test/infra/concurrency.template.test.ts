import { readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  concurrencyOfRoutes,
  concurrencyOfWorker,
  refuseExcessReservations,
  reservedConcurrency,
} from '../../infra/concurrency.ts';
import { readSettings, type Settings } from '../../infra/settings.ts';
import { stages } from '../../infra/stages.ts';
import { queueOf } from '../../shared/contract/worker.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';
import { lambdaOfWorker } from './constructs/deployed-function.ts';
import { resource, resources } from './constructs/resources.ts';
import { settings, stackIn, templateOf, withApp } from './constructs/template-of.ts';

const everyWorker: readonly Worker[] = workers;
let prod: Template;
let dev: Template;

beforeAll(() => {
  prod = templateOf(settings.production);
  dev = templateOf(settings.dev);
});

const reservedBy = (template: Template): number =>
  resources(template, 'AWS::Lambda::Function').reduce(
    (sum, [, { ReservedConcurrentExecutions: reserved = 0 }]) => sum + Number(reserved),
    0,
  );

describe('reserved executions', () => {
  it('are in all what the settings are checked for', () => {
    expect(reservedBy(prod)).toBe(reservedConcurrency(settings.production));
    expect(reservedBy(prod)).toBeGreaterThan(0);
    expect(reservedBy(dev)).toBe(0);
  });

  const isScheduled = ({ trigger }: Worker): boolean => trigger.kind === 'schedule';

  it.each(everyWorker.filter(isScheduled))('$id has none of its own, because it may come late', (worker) => {
    const lambda = resource(prod, 'AWS::Lambda::Function', lambdaOfWorker(worker.id, prod));
    expect(lambda.ReservedConcurrentExecutions).toBeUndefined();
  });

  const urgent = everyWorker.filter((worker) => !isScheduled(worker));

  it.each(urgent)('$id has some of its own in prod, and its source starts no more', (worker) => {
    const lambda = resource(prod, 'AWS::Lambda::Function', lambdaOfWorker(worker.id, prod));
    const reserved = Number(lambda.ReservedConcurrentExecutions);
    expect(reserved).toBe(concurrencyOfWorker(worker, settings.production));
    const { trigger } = worker;
    const started =
      trigger.kind === 'stream'
        ? trigger.parallelizationFactor * 10
        : (queueOf(worker)?.maximumConcurrency ?? Number.NaN);
    expect(reserved).toBeGreaterThanOrEqual(started);
  });

  it('are as many as docs/operations.md says', () => {
    const guide = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const { apiConcurrency, deliveryConcurrency } = settings.production;
    const ofWorkers = everyWorker.map((worker) =>
      concurrencyOfWorker(worker, { ...settings.production, deliveryConcurrency: 0 }),
    );
    const workersTogether = ofWorkers.reduce((sum, one) => sum + one);
    expect(guide).toContain(`have executions of their own: ${workersTogether} in all`);
    const most = apiConcurrency + deliveryConcurrency + workersTogether;
    expect(guide).toContain(`\`prod\` reserves up to ${most} of 1,000 executions`);
    expect(reservedBy(prod)).toBeLessThanOrEqual(most);
  });

  it('leave pages and downloads those that no worker can take, and Lambda the 100 that it asks for', () => {
    const left = settings.production.accountConcurrency - reservedBy(prod);
    expect(left).toBeGreaterThanOrEqual(100);
  });
});

const stage = (name: string, changed: Partial<Settings> = {}): Settings => ({
  ...settings.production,
  stage: name,
  ...changed,
});
const check = (own: Settings, ...others: Settings[]) =>
  refuseExcessReservations(own, Object.fromEntries([own, ...others].map((one) => [one.stage, one])));

describe('reservations that the account cannot give', () => {
  const own = reservedConcurrency(settings.production);

  it('are refused up to the last one', () => {
    expect(() => check(stage('prod', { accountConcurrency: own + 100 }))).not.toThrow();
    expect(() => check(stage('prod', { accountConcurrency: own + 99 }))).toThrow(
      `The stages of one account reserve ${own} executions (prod ${own}), but with accountConcurrency ${own + 99} at most ${own - 1} can be reserved.`,
    );
  });

  it('are counted over all stages of the account', () => {
    expect(() => check(stage('prod'), stage('staging'))).toThrow(
      `The stages of one account reserve ${2 * own} executions (prod ${own}, staging ${own})`,
    );
    expect(() => check(stage('prod'), stage('staging', { account: 'staging' }))).not.toThrow();
    expect(() => check(stage('prod', { account: 'a' }), stage('staging', { account: 'a' }))).toThrow('staging');
    expect(() => check(stage('prod', { accountConcurrency: 2 * own + 100 }), stage('staging'))).not.toThrow();
  });

  it('of other stages do not hold up one that reserves nothing', () => {
    const none = { apiConcurrency: 0, deliveryConcurrency: 0, workerConcurrency: 'shared' } as const;
    expect(() => check(stage('dev', none), stage('prod'), stage('staging'))).not.toThrow();
    expect(() => check(stage('prod', { ...none, accountConcurrency: 10 }))).not.toThrow();
  });

  it('are an error of the synthesis, also by a variable of the environment', () => {
    const tooMany = readSettings({ STAGE: 'prod', API_CONCURRENCY: '1320' });
    expect(() => withApp({}, (app) => stackIn(app, tooMany))).toThrow('Lower apiConcurrency or deliveryConcurrency');
  });

  it('are refused where a function of the API would have fewer than five', () => {
    const each = (count: number) => readSettings({ STAGE: 'prod', API_CONCURRENCY: String(count) });
    const functions = resources(prod, 'AWS::Lambda::Function').filter(
      ([, { ReservedConcurrentExecutions: reserved }]) =>
        reserved === concurrencyOfRoutes([{ path: '/api/v1/sales' }], settings.production),
    ).length;
    expect(() => check(each(5 * functions))).not.toThrow();
    expect(() => check(each(5 * functions - 1))).toThrow(
      `is shared by the ${functions} functions of the API: it must be 0 or at least ${5 * functions}`,
    );
  });

  it('are in no stage of infra/stages.ts', () => {
    for (const name of Object.keys(stages))
      expect(() => refuseExcessReservations(readSettings({ STAGE: name }), stages)).not.toThrow();
  });
});
