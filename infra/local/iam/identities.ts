import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { accountId } from '../account.ts';
import { type Json, nameOf, propertiesOf, resolve, resourcesOf, type Scope } from '../template/template.ts';
import { readPolicy, type Statement } from './policy.ts';

/** Who a function is to the services: its own access key, and what its role allows. */
export interface Identity {
  readonly functionName: string;
  readonly roleName: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** In the order of the template: the role's inline policies, then the policies that are attached to it. */
  readonly statements: readonly Statement[];
}

/** The id of temporary credentials, in the form that AWS gives it. */
export const newAccessKeyId = (): string => `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;

const roleArn = (name: string): string => `arn:aws:iam::${accountId}:role/${name}`;

/** Tells `scope` what the template's roles are called. */
export function deployRoles(scope: Scope): void {
  for (const { logicalId, resource } of resourcesOf(scope, 'AWS::IAM::Role')) {
    const name = nameOf(logicalId, resource.Properties?.RoleName, scope);
    scope.resources.set(logicalId, { reference: name, attributes: { Arn: roleArn(name) } });
  }
}

/**
 * Makes the identities of functions. Called when all that policies may name is deployed. `identify` gives a function a
 * new access key; it throws where the template has no such role.
 */
export function openIdentities(scope: Scope) {
  const statementsByRole = readStatements(scope);
  return {
    identify: (functionName: string, functionRoleArn: string): Identity => {
      const roleName = functionRoleArn.split('/').at(-1) ?? '';
      const statements = statementsByRole.get(roleName);
      if (!statements)
        throw new Error(`The function ${functionName} has the role ${roleName}, which the template lacks.`);
      return {
        functionName,
        roleName,
        accessKeyId: newAccessKeyId(),
        secretAccessKey: randomBytes(30).toString('base64'),
        statements,
      };
    },
  };
}

const policiesOfRole = z.object({ Policies: z.array(z.object({ PolicyDocument: z.unknown() })).default([]) });
const attachedPolicy = z.object({ PolicyDocument: z.unknown(), Roles: z.array(z.string()).default([]) });

function readStatements(scope: Scope): ReadonlyMap<string, readonly Statement[]> {
  const byRole = new Map<string, Statement[]>();
  for (const { logicalId, resource } of resourcesOf(scope, 'AWS::IAM::Role')) {
    const policies = withKnownResources(resource.Properties?.Policies ?? [], scope);
    const { Policies } = policiesOfRole.parse({ Policies: resolve(policies, scope) });
    const name = scope.resources.get(logicalId)?.reference ?? logicalId;
    byRole.set(
      name,
      Policies.flatMap(({ PolicyDocument }) => readPolicy(PolicyDocument)),
    );
  }
  for (const { resource } of resourcesOf(scope, 'AWS::IAM::Policy')) {
    const known = { ...resource, Properties: asObject(withKnownResources(resource.Properties ?? {}, scope)) };
    const { PolicyDocument, Roles } = propertiesOf(attachedPolicy, known, scope);
    for (const role of Roles) byRole.get(role)?.push(...readPolicy(PolicyDocument));
  }
  return byRole;
}

/** Leaves out the resources of statements that only AWS has, such as log groups: nothing here asks for them. */
function withKnownResources(value: Json, scope: Scope): Json {
  if (Array.isArray(value)) return value.map((item) => withKnownResources(item, scope));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]): [string, Json] => {
    if (name !== 'Resource' && name !== 'NotResource') return [name, withKnownResources(item, scope)];
    return [name, (Array.isArray(item) ? item : [item]).filter((resource) => isKnown(resource, scope))];
  });
  return Object.fromEntries(entries);
}

function isKnown(resource: Json, scope: Scope): boolean {
  try {
    resolve(resource, scope);
    return true;
  } catch {
    return false;
  }
}

const asObject = (value: Json): { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
