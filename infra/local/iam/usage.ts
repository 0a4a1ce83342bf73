import { leadingKeysOf } from './dynamodb-access.ts';
import { everything } from './dynamodb-request.ts';
import { type AccessRequest, isLike } from './evaluate.ts';
import type { Identity } from './identities.ts';
import type { Statement } from './policy.ts';

/** One permission that was used, under one pattern of its leading keys. */
export interface UsedPermission {
  /** The name of the function's file in `functions/`. */
  readonly functionName: string;
  /** Such as `dynamodb:PutItem`; the items of a transaction under their own actions. */
  readonly action: string;
  /** The ARN of the table, index, queue or secret. */
  readonly resource: string;
  /** The first statement of the role that allowed it, counted from 0 in the order of the template. */
  readonly statement: number;
  /**
   * The leading key without what is different in each record: parts between `#` that are not capital letters are `*`,
   * such as `TENANT#*#ORDER#*`. Undefined where a request has none; `(everything)` for a scan.
   */
  readonly leadingKey?: string;
  /** The value of the statement's condition on `dynamodb:LeadingKeys` that the key fits, where it has such a condition. */
  readonly leadingKeyPattern?: string;
  /** The method and path that the function was working for, such as `POST /api/orders`; a worker has none. */
  readonly route?: string;
  /** How many requests or items of requests. */
  readonly count: number;
}

/** One permission that a function lacked. */
interface RefusedPermission
  extends Pick<UsedPermission, 'functionName' | 'action' | 'resource' | 'leadingKey' | 'count'> {
  /** The name of the withdrawal that took it away; absent where its role lacks it. */
  readonly withdrawal?: string;
}

export interface UsageReport {
  readonly used: readonly UsedPermission[];
  readonly refused: readonly RefusedPermission[];
}

export interface UsageRecorder {
  record(identity: Identity, request: AccessRequest, statement: Statement | undefined, route?: string): void;
  recordRefusal(identity: Identity, request: AccessRequest, withdrawal: string | undefined): void;
  used(): UsedPermission[];
  refused(): RefusedPermission[];
}

/** Keeps which permissions were used and which were refused, each once. */
export function createUsageRecorder(): UsageRecorder {
  const used = new Map<string, UsedPermission>();
  const refused = new Map<string, RefusedPermission>();
  const add = (permission: Omit<UsedPermission, 'count'>) => {
    const key = Object.values(permission).join(' ');
    used.set(key, { ...permission, count: (used.get(key)?.count ?? 0) + 1 });
  };
  return {
    record: (identity, request, statement, route) => {
      if (!statement) return;
      const { action, resource } = request;
      const index = identity.statements.indexOf(statement);
      const { functionName } = identity;
      const permission = { functionName, action, resource, statement: index, ...(route !== undefined && { route }) };
      const keys = leadingKeysOf(request);
      if (keys.length === 0) add(permission);
      for (const key of keys) {
        const leadingKeyPattern = patternOf(statement, key);
        const leadingKey = generalKey(key);
        add({ ...permission, leadingKey, ...(leadingKeyPattern !== undefined && { leadingKeyPattern }) });
      }
    },
    recordRefusal: ({ functionName }, request, withdrawal) => {
      const { action, resource } = request;
      const leadingKey = leadingKeysOf(request).map(generalKey)[0];
      const permission = {
        functionName,
        action,
        resource,
        ...(leadingKey && { leadingKey }),
        ...(withdrawal !== undefined && { withdrawal }),
      };
      const key = Object.values(permission).join(' ');
      refused.set(key, { ...permission, count: (refused.get(key)?.count ?? 0) + 1 });
    },
    used: () => [...used.values()],
    refused: () => [...refused.values()],
  };
}

const patternOf = ({ conditions }: Statement, key: string): string | undefined =>
  conditions
    .filter(({ key: name }) => name === 'dynamodb:LeadingKeys')
    .flatMap(({ values }) => values)
    .find((pattern) => isLike(pattern, key));

const generalKey = (key: string): string => {
  if (key === everything) return key;
  const parts = key.split('#').map((part) => (/^[A-Z_]+$/.test(part) ? part : '*'));
  return parts.join('#').replaceAll(/\*(#\*)+/g, '*');
};
