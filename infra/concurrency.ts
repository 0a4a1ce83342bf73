import { functionsOf, type Route, routesOf } from '../shared/contract/routes.ts';
import { type Worker, workers } from '../shared/contract/workers.ts';
import type { Settings } from './settings-schema.ts';

type ConcurrencySettings = Pick<
  Settings,
  'accountConcurrency' | 'apiConcurrency' | 'deliveryConcurrency' | 'workerConcurrency' | 'connectorPlatform'
>;
type StagesByName = Readonly<Record<string, ConcurrencySettings & Pick<Settings, 'account'>>>;

/** Lambda refuses reservations that leave less than this to all functions without one. */
const leastUnreserved = 100;
const everyWorker: readonly Worker[] = workers;

/** How many executions are reserved for a worker; 0 reserves none. */
export const concurrencyOfWorker = (worker: Worker, settings: ConcurrencySettings): number => {
  const { trigger } = worker;
  if (trigger.kind === 'queue' && trigger.queue === 'deliveries') return settings.deliveryConcurrency;
  if (settings.workerConcurrency === 'shared') return 0;
  switch (trigger.kind) {
    case 'stream':
      return trigger.reservedConcurrency;
    case 'queue':
      return trigger.maximumConcurrency;
    // What is scheduled is not urgent: it takes what nobody else needs.
    case 'schedule':
      return 0;
  }
};

/** Less would make callers of one path wait for each other. */
const leastOfFunction = 5;

const isOfApi = (routes: readonly Pick<Route, 'path'>[]): boolean =>
  routes.some(({ path }) => path.startsWith('/api/'));

const apiFunctions = ({ connectorPlatform }: ConcurrencySettings): number =>
  functionsOf(routesOf(connectorPlatform)).filter(({ routes }) => isOfApi(routes)).length;

/**
 * How many executions are reserved for the function behind these routes; 0 reserves none. The functions of the API have
 * equal parts of `apiConcurrency`, so that one more path takes nothing from the rest of the account.
 */
export const concurrencyOfRoutes = (routes: readonly Pick<Route, 'path'>[], settings: ConcurrencySettings): number =>
  isOfApi(routes) ? Math.floor(settings.apiConcurrency / apiFunctions(settings)) : 0;

/** How many executions a stage reserves in all. */
export const reservedConcurrency = (settings: ConcurrencySettings): number =>
  [
    ...functionsOf(routesOf(settings.connectorPlatform)).map(({ routes }) => concurrencyOfRoutes(routes, settings)),
    ...everyWorker.map((worker) => concurrencyOfWorker(worker, settings)),
  ].reduce((sum, one) => sum + one, 0);

/**
 * Throws if a stage and the other stages of its account reserve more executions than the account can give, which Lambda
 * would refuse in the middle of a deployment, or if a stage reserves too few for a function of the API.
 */
export const refuseExcessReservations = (settings: Settings, stages: StagesByName): void => {
  const least = leastOfFunction * apiFunctions(settings);
  if (settings.apiConcurrency > 0 && settings.apiConcurrency < least)
    throw new Error(
      `apiConcurrency ${settings.apiConcurrency} is shared by the ${apiFunctions(settings)} functions of the API: ` +
        `it must be 0 or at least ${least}, which is ${leastOfFunction} for each.`,
    );
  const all: StagesByName = { ...stages, [settings.stage]: settings };
  const reserved = Object.entries(all)
    .filter(([, { account }]) => account === settings.account)
    .map(([stage, of]): [string, number] => [stage, reservedConcurrency(of)])
    .filter(([stage, sum]) => sum > 0 || stage === settings.stage);
  const sum = reserved.reduce((total, [, one]) => total + one, 0);
  const own = reservedConcurrency(settings);
  const most = settings.accountConcurrency - leastUnreserved;
  // A stage that reserves nothing can be deployed, whatever the others do.
  if (own === 0 || sum <= most) return;
  throw new Error(
    `The stages of one account reserve ${sum} executions (${reserved.map(([stage, one]) => `${stage} ${one}`).join(', ')}), ` +
      `but with accountConcurrency ${settings.accountConcurrency} at most ${Math.max(most, 0)} can be reserved. ` +
      'Lower apiConcurrency or deliveryConcurrency, set workerConcurrency to shared, ' +
      'or name the account of a stage that is in another one (account).',
  );
};
