import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

/** Libraries that few requests need. A dynamic import loads them from a file of their own beside the bundle. */
const libraries = ['any-ascii', 'jose'];

const fileOf = (library: string): string => `${library}.cjs`;

/** Leaves the dynamic imports of these libraries in the bundle; a static import is bundled as any other. */
export const loadedOnNeed: Plugin = {
  name: 'loaded-on-need',
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^(${libraries.join('|')})$`) }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `./${fileOf(path)}`, external: true } : undefined,
    ),
};

/** The files that an output of a build imports on need. */
export const filesLoadedBy = ({ imports }: Metafile['outputs'][string]): string[] =>
  libraries.map(fileOf).filter((file) => imports.some(({ path, external }) => external && path === `./${file}`));

/** The default import of a CommonJS module is its `module.exports`. */
const footer = { js: 'module.exports = module.exports.default ?? module.exports;' };

/** Builds each library into its file. Returns the content of each file by its name. */
export const buildLoadedOnNeed = async (options: BuildOptions): Promise<ReadonlyMap<string, Uint8Array>> => {
  const built = libraries.map(async (library) => {
    const { outputFiles } = await build({ ...options, entryPoints: [library], format: 'cjs', footer, write: false });
    const [output] = outputFiles;
    if (!output) throw new Error(`${library} was not built`);
    return [fileOf(library), output.contents] as const;
  });
  return new Map(await Promise.all(built));
};
