import type { Write } from '../../platform/table/transaction.ts';
import { isNewIn, namedSums, sumsName } from '../statistics/day-sums.ts';
import { hostNames, readHosts } from '../statistics/hosts.ts';
import { type Delta, summed } from './deltas.ts';

export const sumsOfHost = ({ kind, id }: Delta): { day: string; linkId: string; host: string } | undefined => {
  if (kind !== 'SUMS') return undefined;
  const { name, day, id: linkId, host } = namedSums(id);
  return name === 'REFERRER' && host !== undefined ? { day, linkId, host } : undefined;
};

/** Replaces hosts by the names they are counted by; `writes` store new names. Reads nothing without hosts. */
export const withHostNames = async (
  programId: string,
  deltas: readonly Delta[],
): Promise<{ named: Delta[]; writes: Write[] }> => {
  const ofHosts = deltas.flatMap((delta) => sumsOfHost(delta) ?? []);
  const known = await readHosts(programId, ofHosts);
  const names = new Map(ofHosts.map((of) => [`${of.day} ${of.linkId}`, hostNames(known, of)]));
  const named = deltas.map((delta) => {
    const { day = '', linkId = '', host = '' } = sumsOfHost(delta) ?? {};
    const name = names.get(`${day} ${linkId}`)?.of(host, isNewIn(delta.amounts));
    return name === undefined ? delta : { ...delta, id: sumsName({ name: 'REFERRER', day, id: linkId, host: name }) };
  });
  return { named: summed(named), writes: [...names.values()].flatMap((hosts) => hosts.writes(programId)) };
};
