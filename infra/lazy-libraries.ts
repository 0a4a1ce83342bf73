import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

/**
 * Libraries that few requests use. esbuild cannot split CommonJS bundles, so each is built as a file of its own, which a
 * dynamic import loads.
 */
const libraries = ['any-ascii', 'email-providers/all.json', 'jose', 'qrcode', 'tldts'];

const fileOf = (library: string): string => `${library.replace(/\W/g, '-')}.cjs`;

/** Keeps dynamic imports of these libraries in the bundle. A static import is bundled. */
export const lazyLibraries: Plugin = {
  name: 'lazy-libraries',
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^(${libraries.join('|')})$`) }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `./${fileOf(path)}`, external: true } : undefined,
    ),
};

/** The names of the files that an output of a build imports dynamically. */
export const lazyFilesOf = ({ imports }: Metafile['outputs'][string]): string[] =>
  libraries.map(fileOf).filter((file) => imports.some(({ path, external }) => external && path === `./${file}`));

/** The default import of a CommonJS module is its `module.exports`. */
const footer = { js: 'module.exports = module.exports.default ?? module.exports;' };

/** esbuild exports nothing of JSON that is an entry point itself. */
const entryOf = (library: string, resolveDir: string): BuildOptions =>
  library.endsWith('.json')
    ? { stdin: { contents: `module.exports = require(${JSON.stringify(library)});`, resolveDir } }
    : { entryPoints: [library] };

/** Builds the libraries. @returns the content of each file by its name */
export const buildLazyLibraries = async (options: BuildOptions): Promise<ReadonlyMap<string, Uint8Array>> => {
  const built = libraries.map(async (library) => {
    const entry = entryOf(library, options.absWorkingDir ?? process.cwd());
    const { outputFiles } = await build({ ...options, ...entry, format: 'cjs', footer, write: false });
    const [output] = outputFiles;
    if (!output) throw new Error(`${library} was not built`);
    return [fileOf(library), output.contents] as const;
  });
  return new Map(await Promise.all(built));
};
