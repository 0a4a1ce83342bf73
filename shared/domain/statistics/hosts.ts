import { deployedName } from '../../platform/table/deployed-name.ts';
import { batchGetItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { StoredSums, sumsKey } from './day-sums.ts';
import { otherHost } from './host-names.ts';

/** Per link and day; further hosts are counted together as `other`. docs/behavior.md#what-is-counted-as-a-click */
const maxHosts = 20;

interface LinkDay {
  readonly day: string;
  readonly linkId: string;
}

/** A separate item, so that reading the sums does not cost more. */
const keyOf = (programId: string, { day, linkId }: LinkDay) => sumsKey(programId, { name: 'HOSTS', day, id: linkId });

const nameOf = ({ day, linkId }: LinkDay): string => `${day}#${linkId}`;

/** The hosts that links and days have sums of, by `<day>#<link>`. Hosts are only added, so a host keeps the name it is counted by. */
export type KnownHosts = ReadonlyMap<string, ReadonlySet<string>>;

export const readHosts = async (programId: string, linkDays: readonly LinkDay[]): Promise<KnownHosts> => {
  const keys = new Map(linkDays.map((linkDay) => [nameOf(linkDay), keyOf(programId, linkDay)]));
  if (keys.size === 0) return new Map();
  const items = await batchGetItems(deployedName('records'), [...keys.values()]);
  return new Map(items.map((item) => [String(item.sk), new Set(StoredSums.parse(item).hosts ?? [])]));
};

/** Decides for each host, in the order of the calls, whether it is counted by its name or as `other`. */
export const hostNames = (known: KnownHosts, linkDay: LinkDay) => {
  const before = known.get(nameOf(linkDay)) ?? new Set<string>();
  const hosts = new Set(before);
  return {
    of: (host: string, isNew: boolean): string => {
      if (hosts.has(host) || host === otherHost) return host;
      if (hosts.size >= maxHosts) return otherHost;
      if (isNew) hosts.add(host);
      return host;
    },
    /** Stores the new hosts, if any. Throws ConcurrentModificationError if others were added since. */
    writes: (programId: string): Write[] => {
      const added = [...hosts].filter((host) => !before.has(host));
      if (added.length === 0) return [];
      return [
        {
          Update: {
            TableName: deployedName('records'),
            Key: keyOf(programId, linkDay),
            UpdateExpression: 'ADD hosts :hosts',
            ConditionExpression: before.size > 0 ? 'size(hosts) = :known' : 'attribute_not_exists(hosts)',
            ExpressionAttributeValues: { ':hosts': new Set(added), ...(before.size > 0 && { ':known': before.size }) },
          },
          refusal: () => new ConcurrentModificationError(`The hosts of ${nameOf(linkDay)} changed`),
        },
      ];
    },
  };
};
