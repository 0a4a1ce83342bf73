import { readdirSync, readFileSync } from 'node:fs';

/** What Linux says of processes, in /proc. */

const parentOf = (pid: number): number | undefined => {
  try {
    // The name in brackets may hold anything; the state and the parent come after the last bracket.
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1);
    return Number(afterName?.split(' ')[1]);
  } catch {
    return undefined;
  }
};

/** A process and everything that it started, and they started. */
export const processTree = (pid: number): number[] => {
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const children = all.filter((other) => parentOf(other) === pid);
  return [pid, ...children.flatMap(processTree)];
};

/** Whether a process is there and does something: one that has ended may wait to be collected. */
export const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** The memory of some processes in megabytes; what they share counts once (PSS). */
export const memoryMegabytes = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    return sum + Number(kilobytes) / 1024;
  }, 0);
