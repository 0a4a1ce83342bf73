import { build } from 'esbuild';
import { functionBuild, functionNames } from '../../../infra/bundle.ts';

export interface BundleFigures {
  name: string;
  bytes: number;
  /** The largest parts, by package or folder of the sources. */
  parts: readonly (readonly [part: string, bytes: number])[];
}

const shownParts = 6;

const partOf = (path: string): string =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path.split('/').slice(0, 2).join('/');

/** The bytes of each bundle, and where they come from. */
export const measureBundles = async (): Promise<BundleFigures[]> => {
  const { metafile } = await build(functionBuild(functionNames()));
  return Object.entries(metafile.outputs).map(([path, { bytes, inputs }]) => {
    const parts = new Map<string, number>();
    for (const [input, { bytesInOutput }] of Object.entries(inputs))
      parts.set(partOf(input), (parts.get(partOf(input)) ?? 0) + bytesInOutput);
    const largest = [...parts].toSorted(([, one], [, other]) => other - one).slice(0, shownParts);
    return { name: path.split('/').at(-2) ?? '', bytes, parts: largest };
  });
};
