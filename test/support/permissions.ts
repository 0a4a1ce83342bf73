import { secretsUsed, tableAccesses } from '../../infra/constructs/access.ts';
import { pascalCase } from '../../infra/constructs/pascal-case.ts';
import type { UsageReport, UsedPermission } from '../../infra/local/iam/usage.ts';
import type { Withdrawal } from '../../infra/local/iam/withdrawals.ts';
import { apiBasePath, connectorBasePath } from '../../shared/contract/base-paths.ts';
import type { Need } from '../../shared/contract/needs.ts';
import { allNeedsOf } from '../../shared/contract/operation.ts';
import { connectorOperations, operations } from '../../shared/contract/operations.ts';
import { allNeedsOfPage } from '../../shared/contract/page.ts';
import { pages } from '../../shared/contract/pages/pages.ts';
import { functionsOf, routesOf } from '../../shared/contract/routes.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';

type Permission = Omit<Withdrawal, 'functionName'>;

/** A function with one of its needs. */
export interface FunctionNeed {
  readonly functionName: string;
  readonly need: Need;
}

/** Every function behind a route and every worker, with each of its needs. */
export const functionNeeds = (): FunctionNeed[] => {
  const everyWorker: readonly Worker[] = workers;
  const behindRoutes = functionsOf(routesOf('automation'));
  return [...behindRoutes, ...everyWorker.map(({ id, needs }) => ({ name: id, needs }))].flatMap(({ name, needs }) =>
    [...new Set(needs)].map((need) => ({ functionName: name, need })),
  );
};

/** What IAM grants for a need. Nothing for one that gives settings alone. */
export const permissionsOf = (need: Need): Permission[] => {
  const [name = '', use] = need.split(':');
  if (use === 'send') return [{ actions: ['sqs:SendMessage'], resources: [`*${pascalCase(name)}Queue*`] }];
  if (secretsUsed([need]).length > 0)
    return [{ actions: ['secretsmanager:GetSecretValue'], resources: [`*${pascalCase(name)}Secret*`] }];
  return tableAccesses([need]).map(({ table, index, actions, leadingKeys }) => ({
    actions: [...actions],
    resources: [`*:table/*-${pascalCase(table)}????????${index ? `/index/${index}` : ''}`],
    leadingKeys: [...leadingKeys],
  }));
};

const fits = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.replaceAll('?', '.').replaceAll('*', '.*')}$`).test(text);

/** Whether a permission that a function used is one that a need gives. */
const isGivenBy = (need: Need, used: UsedPermission): boolean =>
  permissionsOf(need).some(
    ({ actions, resources, leadingKeys }) =>
      actions.includes(used.action) &&
      resources.some((resource) => fits(resource, used.resource)) &&
      (!leadingKeys || leadingKeys.includes(used.leadingKeyPattern ?? '')),
  );

const isOf = ({ functionName, need }: FunctionNeed, used: UsedPermission): boolean =>
  used.functionName === functionName && isGivenBy(need, used);

/** What a function used for a route whose own operation or page does not list it; another of the function does. */
export const usedWithoutNeed = (used: readonly UsedPermission[]): UsedPermission[] => {
  const needsByRoute = new Map<string, readonly Need[]>([
    ...operations.map((one): [string, readonly Need[]] => [`${one.method} ${apiBasePath}${one.path}`, allNeedsOf(one)]),
    ...connectorOperations.map((one): [string, readonly Need[]] => [
      `${one.method} ${connectorBasePath('automation')}${one.path}`,
      allNeedsOf(one),
    ]),
    ...pages.map((page): [string, readonly Need[]] => [`${page.method} ${page.path}`, allNeedsOfPage(page)]),
  ]);
  return used.filter((one) => {
    const needs = one.route === undefined ? undefined : needsByRoute.get(one.route);
    return needs !== undefined && !needs.some((need) => isGivenBy(need, one));
  });
};

/** How often each need was used, in the order of `needs`. */
export const usesOf = (needs: readonly FunctionNeed[], used: readonly UsedPermission[]): number[] =>
  needs.map((need) => used.filter((one) => isOf(need, one)).reduce((sum, { count }) => sum + count, 0));

type Environment = Readonly<Record<string, string>>;

const ask = async (environment: Environment, action: string, body: object): Promise<string> => {
  const response = await fetch(environment.AWS_ENDPOINT_URL_DYNAMODB ?? '', {
    method: 'POST',
    headers: {
      'x-amz-target': `LocalStack.${action}`,
      authorization: `AWS4-HMAC-SHA256 Credential=${environment.AWS_ACCESS_KEY_ID}/x`,
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${action} answered ${response.status}`);
  return response.text();
};

/** Which permissions functions have used, and which they lacked, since the stack was started. */
export const reportPermissions = async (environment: Environment): Promise<UsageReport> =>
  JSON.parse(await ask(environment, 'ReportPermissions', {}));

/** Takes permissions from functions, instead of those that were taken before. */
export const withdrawPermissions = async (
  environment: Environment,
  withdrawals: readonly Withdrawal[],
): Promise<void> => {
  await ask(environment, 'WithdrawPermissions', { withdrawals });
};
