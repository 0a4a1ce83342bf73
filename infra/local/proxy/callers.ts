import * as z from 'zod';
import { type Authorizer, createAuthorizer } from '../iam/authorize.ts';
import type { Tables } from '../iam/dynamodb-access.ts';
import { type Identity, newAccessKeyId } from '../iam/identities.ts';
import type { UsageRecorder } from '../iam/usage.ts';
import type { Withdrawals } from '../iam/withdrawals.ts';

/** A function, or somebody in its role. */
export interface Caller {
  readonly identity: Identity;
  /** What its role does not allow, which is logged where it is a fault of the function. */
  readonly refusalOf: Authorizer['refusalOf'];
}

interface CallersSettings {
  readonly identities: readonly Identity[];
  readonly tables: Tables;
  readonly usage: UsageRecorder | undefined;
  readonly withdrawals: Withdrawals;
  readonly warn: (line: string) => void;
}

const RoleRequest = z.strictObject({ functionName: z.string() });

/** Who may call, by their access keys. `assumeRole` makes one with the role of a function, whose requests are not logged. */
export function openCallers({ identities, tables, usage, withdrawals, warn }: CallersSettings) {
  const callerOf = (identity: Identity): Caller => {
    const authorizer = createAuthorizer(identity, tables, usage, withdrawals);
    return {
      identity,
      refusalOf: (target, body, route) => {
        const refusal = authorizer.refusalOf(target, body, route);
        if (refusal) warn(refusal.logLine);
        return refusal;
      },
    };
  };
  const callers = new Map(identities.map((identity) => [identity.accessKeyId, callerOf(identity)]));
  return {
    find: (accessKeyId: string): Caller | undefined => callers.get(accessKeyId),
    assumeRole: (body: unknown): string => {
      const { functionName } = RoleRequest.parse(body);
      const identity = identities.find((one) => one.functionName === functionName);
      if (!identity) throw new Error(`There is no function ${functionName}`);
      const accessKeyId = newAccessKeyId();
      callers.set(accessKeyId, { identity, refusalOf: createAuthorizer(identity, tables).refusalOf });
      return accessKeyId;
    },
  };
}
