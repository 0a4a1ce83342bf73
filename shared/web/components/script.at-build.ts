import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** This module runs when the functions are bundled; the bundle holds its values. infra/bundle.ts */

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('script.client.ts', import.meta.url))],
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: 'es2022',
  legalComments: 'none',
});

export const script: string = outputFiles[0]?.text ?? '';

/** Changes with the content, so that browsers may keep the script. */
export const scriptVersion: string = createHash('sha256').update(script).digest('hex').slice(0, 12);

export const scriptPath: string = `/script/${scriptVersion}`;
