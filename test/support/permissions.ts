import * as z from 'zod';
import { fileAccesses, secretsUsed, tableAccesses } from '../../infra/constructs/access.ts';
import { pascalCase } from '../../infra/constructs/pascal-case.ts';
import type { UsageReport, UsedPermission } from '../../infra/local/iam/usage.ts';
import type { Withdrawal } from '../../infra/local/iam/withdrawals.ts';
import type { Need } from '../../shared/contract/needs.ts';
import { type DeclaredNeed, declaredNeeds, needsOwners } from './declared-needs.ts';
import { askStack } from './operator.ts';

type Permission = Pick<Withdrawal, 'actions' | 'resources' | 'leadingKeys'>;

/** What IAM grants for a need. Nothing for one that gives settings alone. */
export const permissionsOf = (need: Need): Permission[] => {
  const [name = '', use] = need.split(':');
  if (use === 'send') return [{ actions: ['sqs:SendMessage'], resources: [`*${pascalCase(name)}Queue*`] }];
  if (secretsUsed([need]).length > 0)
    return [{ actions: ['secretsmanager:GetSecretValue'], resources: [`*${pascalCase(name)}Secret*`] }];
  if (need === 'ses:use')
    return [
      { actions: ['ses:SendEmail'], resources: ['arn:aws:ses:*:identity/*', 'arn:aws:ses:*:configuration-set/*'] },
    ];
  const ofFiles = fileAccesses([need]).map(({ actions, keys }) => ({
    actions: [...actions],
    resources: [`arn:aws:s3:::*/${keys}`],
  }));
  if (ofFiles.length > 0) return ofFiles;
  return tableAccesses([need]).map(({ table, index, actions, leadingKeys }) => ({
    actions: [...actions],
    resources: [`*:table/*-${pascalCase(table)}????????${index ? `/index/${index}` : ''}`],
    leadingKeys: [...leadingKeys],
  }));
};

/** Every declared need that gives a permission: the others give settings alone. */
export const grantingNeeds = (): DeclaredNeed[] => declaredNeeds().filter(({ need }) => permissionsOf(need).length > 0);

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

const isOfFiles = (need: Need): boolean => fileAccesses([need]).length > 0;

/** Whether an operation, page or worker used a permission that one of its needs gives. */
const isOf = ({ functionName, routes, need }: DeclaredNeed, used: UsedPermission): boolean =>
  used.functionName === functionName &&
  // Whoever follows a signed link or sends a signed form names no route.
  (routes === undefined || routes.includes(used.route ?? '') || (used.route === undefined && isOfFiles(need))) &&
  isGivenBy(need, used);

/** What a function used for a route whose own operation or page does not list it; another of the function does. */
export const usedWithoutNeed = (used: readonly UsedPermission[]): UsedPermission[] => {
  const needsByRoute = new Map(
    needsOwners().flatMap(({ routes = [], needs }) => routes.map((route) => [route, needs] as const)),
  );
  return used.filter((one) => {
    const needs = one.route === undefined ? undefined : needsByRoute.get(one.route);
    return needs !== undefined && !needs.some((need) => isGivenBy(need, one));
  });
};

/** How often each need was used, in the order of `needs`. */
export const usesOf = (needs: readonly DeclaredNeed[], used: readonly UsedPermission[]): number[] =>
  needs.map((need) => used.filter((one) => isOf(need, one)).reduce((sum, { count }) => sum + count, 0));

type Environment = Readonly<Record<string, string>>;

/** Which permissions functions have used, and which they lacked, since the stack was started. */
export const reportPermissions = async (environment: Environment): Promise<UsageReport> =>
  JSON.parse(await askStack(environment, 'ReportPermissions', {}));

/** Takes permissions from functions, instead of those that were taken before. */
export const withdrawPermissions = async (
  environment: Environment,
  withdrawals: readonly Withdrawal[],
): Promise<void> => {
  await askStack(environment, 'WithdrawPermissions', { withdrawals });
};

/** An access key with the permissions of a function. What it is refused is no problem of the run. */
export const assumeFunctionRole = async (environment: Environment, functionName: string): Promise<string> =>
  z
    .object({ accessKeyId: z.string() })
    .parse(JSON.parse(await askStack(environment, 'AssumeFunctionRole', { functionName }))).accessKeyId;
