import type { Plugin } from 'esbuild';

/** Runs a module whose name ends in `.at-build.ts` now and bundles its values: no start makes them, and a bundle has none of their imports. */
export const builtModules: Plugin = {
  name: 'built-modules',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.at-build\.ts$/ }, async ({ path }) => {
      const values: Record<string, unknown> = await import(path);
      const exports = Object.entries(values).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
      return { contents: exports.join('\n'), loader: 'js' };
    }),
};
