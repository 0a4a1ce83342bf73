import { createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { accountId, pseudoParameters, region } from '../../infra/local/account.ts';
import { type Authorizer, createAuthorizer } from '../../infra/local/iam/authorize.ts';
import type { Tables } from '../../infra/local/iam/dynamodb-access.ts';
import { deployRoles, openIdentities } from '../../infra/local/iam/identities.ts';
import { createUsageRecorder, type UsageRecorder, type UsedPermission } from '../../infra/local/iam/usage.ts';
import { nameFromLogicalId } from '../../infra/local/lambda/deploy-functions.ts';
import { listenOn } from '../../infra/local/listen.ts';
import { keysOf, tableProperties } from '../../infra/local/tables/deploy-tables.ts';
import { propertiesOf, resourcesOf, type Scope, type Template } from '../../infra/local/template/template.ts';

// The emulator does not enforce IAM. So functions call it through this proxy, each at an address of its own, and the IAM
// check of the local stack refuses and counts the calls that the function's role does not allow.

/** A deployed template, and the physical ids of its resources. */
interface DeployedTemplate {
  stackName: string;
  template: Template;
  physicalIds: ReadonlyMap<string, string>;
  streamArns: ReadonlyMap<string, string>;
}

const arnOf = (type: string, id: string): string => {
  const name = id.split('/').at(-1);
  if (type === 'AWS::DynamoDB::Table') return `arn:aws:dynamodb:${region}:${accountId}:table/${name}`;
  return type === 'AWS::SQS::Queue' ? `arn:aws:sqs:${region}:${accountId}:${name}` : id;
};

const scopeOf = ({ stackName, template, physicalIds, streamArns }: DeployedTemplate): Scope => {
  const resources: Scope['resources'] = new Map();
  for (const [logicalId, { Type }] of Object.entries(template.Resources)) {
    const id = physicalIds.get(logicalId);
    const isNamed = ['AWS::DynamoDB::Table', 'AWS::SQS::Queue', 'AWS::SecretsManager::Secret'].includes(Type);
    if (id !== undefined && isNamed)
      resources.set(logicalId, {
        reference: id,
        attributes: { Arn: arnOf(Type, id), StreamArn: streamArns.get(id) ?? '' },
      });
  }
  const scope: Scope = {
    template,
    pseudoParameters: pseudoParameters(stackName),
    resources,
  };
  deployRoles(scope);
  return scope;
};

const tablesOf = (scope: Scope): Tables =>
  Object.fromEntries(
    resourcesOf(scope, 'AWS::DynamoDB::Table').map(({ logicalId, resource }) => {
      const { reference: name, attributes } = scope.resources.get(logicalId) ?? { reference: '', attributes: {} };
      return [name, keysOf(propertiesOf(tableProperties, resource, scope), attributes.Arn ?? '')];
    }),
  );

const functionProperties = z.object({ Role: z.string() });

/** The authorizer of each function, by the path at which it calls. */
const authorizersOf = (deployed: DeployedTemplate, usage: UsageRecorder): [string, Authorizer][] => {
  const scope = scopeOf(deployed);
  const tables = tablesOf(scope);
  const { identify } = openIdentities(scope);
  return resourcesOf(scope, 'AWS::Lambda::Function').map(({ logicalId, resource }) => {
    const { Role } = propertiesOf(functionProperties, resource, scope);
    return [
      `/${deployed.stackName}/${logicalId}`,
      createAuthorizer(identify(nameFromLogicalId(logicalId), Role), tables, usage),
    ];
  });
};

export interface IamCheck {
  /** A function's own address is this one, followed by the names of its stack and its logical id. */
  readonly url: string;
  /** How many calls were checked, and a line for each that was refused. */
  readonly seen: { calls: number; refused: string[] };
  /** The permissions that functions used. */
  readonly used: () => UsedPermission[];
  /** Calls of the stack's functions wait until then. */
  registerStack: (deployed: DeployedTemplate) => void;
  stop: () => void;
}

/** How long a call waits for the end of the deployment that started its function. */
const maxWaitSeconds = 300;

export const startIamCheck = async (emulatorPort: number): Promise<IamCheck> => {
  const authorizers = new Map<string, Authorizer>();
  const waiting: (() => void)[] = [];
  const usage = createUsageRecorder();
  const seen: IamCheck['seen'] = { calls: 0, refused: [] };
  const authorizerAt = async (path: string): Promise<Authorizer | undefined> => {
    if (!authorizers.has(path))
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        setTimeout(resolve, maxWaitSeconds * 1000).unref();
      });
    return authorizers.get(path);
  };
  const server = createServer(async (incoming, response) => {
    const { method, headers, url = '' } = incoming;
    const body = await buffer(incoming);
    const [, stack, logicalId, ...rest] = url.split('/');
    const authorizer = await authorizerAt(`/${stack}/${logicalId}`);
    const target = String(headers['x-amz-target'] ?? '');
    seen.calls += 1;
    const refusal = authorizer?.refusalOf(target, JSON.parse(body.toString() || '{}'));
    if (!authorizer || refusal) {
      seen.refused.push(refusal?.logLine ?? `No function is registered at ${url}`);
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ __type: refusal?.type ?? 'AccessDeniedException', message: refusal?.message }));
      return;
    }
    const outgoing = request(
      { host: '127.0.0.1', port: emulatorPort, method, path: `/${rest.join('/')}`, headers },
      (received) => {
        response.writeHead(received.statusCode ?? 502, received.headers);
        received.pipe(response);
      },
    );
    outgoing.on('error', () => response.writeHead(502).end());
    outgoing.end(body);
  });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    used: usage.used,
    registerStack: (deployed) => {
      for (const [path, authorizer] of authorizersOf(deployed, usage)) authorizers.set(path, authorizer);
      for (const resolve of waiting.splice(0)) resolve();
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
