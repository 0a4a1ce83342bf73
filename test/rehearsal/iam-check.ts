import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { accountId, pseudoParameters, region } from '../../infra/local/account.ts';
import { type Authorizer, createAuthorizer } from '../../infra/local/iam/authorize.ts';
import type { Tables } from '../../infra/local/iam/dynamodb-access.ts';
import { deployRoles, openIdentities } from '../../infra/local/iam/identities.ts';
import { createUsageRecorder, type UsageRecorder, type UsedPermission } from '../../infra/local/iam/usage.ts';
import { nameFromLogicalId } from '../../infra/local/lambda/deploy-functions.ts';
import { listenOn } from '../../infra/local/listen.ts';
import { operationOf, readCall } from '../../infra/local/objects/call.ts';
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
  if (type === 'AWS::S3::Bucket') return `arn:aws:s3:::${name}`;
  return type === 'AWS::SQS::Queue' ? `arn:aws:sqs:${region}:${accountId}:${name}` : id;
};

const namedTypes = ['AWS::DynamoDB::Table', 'AWS::SQS::Queue', 'AWS::SecretsManager::Secret', 'AWS::S3::Bucket'];

const scopeOf = ({ stackName, template, physicalIds, streamArns }: DeployedTemplate): Scope => {
  const resources: Scope['resources'] = new Map();
  for (const [logicalId, { Type }] of Object.entries(template.Resources)) {
    const id = physicalIds.get(logicalId);
    if (id !== undefined && namedTypes.includes(Type))
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

interface Caller {
  readonly authorizer: Authorizer;
  /** The tables of its deployment. */
  readonly tables: readonly string[];
}

/** Each function, by the path at which it calls. */
const callersOf = (deployed: DeployedTemplate, usage: UsageRecorder): [string, Caller][] => {
  const scope = scopeOf(deployed);
  const tables = tablesOf(scope);
  const { identify } = openIdentities(scope);
  return resourcesOf(scope, 'AWS::Lambda::Function').map(({ logicalId, resource }) => {
    const { Role } = propertiesOf(functionProperties, resource, scope);
    return [
      `/${deployed.stackName}/${logicalId}`,
      {
        authorizer: createAuthorizer(identify(nameFromLogicalId(logicalId), Role), tables, usage),
        tables: Object.keys(tables),
      },
    ];
  });
};

/** What IAM is asked: a call of S3 is told by its method and path, every other one by its target and JSON. */
const requestOf = (
  method: string,
  path: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Parameters<Authorizer['refusalOf']> => {
  const target = headers['x-amz-target'];
  if (target !== undefined) return [String(target), JSON.parse(body.toString() || '{}')];
  const call = readCall(method, path, headers);
  return [`s3.${operationOf(call) ?? 'Unknown'}`, { Bucket: call.bucket, Key: call.key }];
};

export interface IamCheck {
  /** A function's own address is this one, followed by the names of its stack and its logical id. */
  readonly url: string;
  /** How many calls were checked, and a line for each that was refused. */
  readonly seen: { calls: number; refused: string[] };
  /** The permissions that functions used. */
  readonly used: () => UsedPermission[];
  /** A deployment begins: calls of the stack's functions wait until it is registered. */
  holdStack: (stackName: string) => void;
  registerStack: (deployed: DeployedTemplate) => void;
  stop: () => void;
}

/** How long a call waits for the end of the deployment that started its function. */
const maxWaitSeconds = 300;

export const startIamCheck = async (emulatorPort: number): Promise<IamCheck> => {
  const callers = new Map<string, Caller>();
  /** Of the deployment before: its functions may still be at work. */
  const earlier = new Map<string, Caller>();
  const waiting: (() => void)[] = [];
  const usage = createUsageRecorder();
  const seen: IamCheck['seen'] = { calls: 0, refused: [] };
  const callerAt = async (path: string): Promise<Caller | undefined> => {
    if (!callers.has(path))
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        setTimeout(resolve, maxWaitSeconds * 1000).unref();
      });
    return callers.get(path);
  };
  const server = createServer(async (incoming, response) => {
    const { method, headers, url = '' } = incoming;
    const body = await buffer(incoming);
    const [, stack, logicalId, ...rest] = url.split('/');
    const caller = await callerAt(`/${stack}/${logicalId}`);
    const path = `/${rest.join('/')}`;
    seen.calls += 1;
    const call = requestOf(method ?? '', path, headers, body);
    const before = earlier.get(`/${stack}/${logicalId}`);
    // A table that only the deployment before has is one that its functions use.
    const isOfBefore = before?.tables.some((name) => !caller?.tables.includes(name) && body.includes(name));
    const refusal = (isOfBefore ? before : caller)?.authorizer.refusalOf(...call);
    if (!caller || refusal) {
      seen.refused.push(refusal?.logLine ?? `No function is registered at ${url}`);
      // S3 alone has no such header, and errors in XML.
      const isOfObjects = headers['x-amz-target'] === undefined;
      const type = refusal?.type ?? 'AccessDeniedException';
      response.writeHead(isOfObjects ? 403 : 400, {
        'content-type': isOfObjects ? 'application/xml' : 'application/x-amz-json-1.0',
      });
      response.end(
        isOfObjects
          ? '<Error><Code>AccessDenied</Code></Error>'
          : JSON.stringify({ __type: type, message: refusal?.message }),
      );
      return;
    }
    const outgoing = request({ host: '127.0.0.1', port: emulatorPort, method, path, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    outgoing.on('error', () => response.writeHead(502).end());
    outgoing.end(body);
  });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    used: usage.used,
    holdStack: (stackName) => {
      for (const [path, caller] of callers)
        if (path.startsWith(`/${stackName}/`)) {
          earlier.set(path, caller);
          callers.delete(path);
        }
    },
    registerStack: (deployed) => {
      for (const [path, caller] of callersOf(deployed, usage)) callers.set(path, caller);
      for (const resolve of waiting.splice(0)) resolve();
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
