import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('ref.client.ts', import.meta.url))],
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: 'es2020',
  legalComments: 'none',
});

export const refScript: string = outputFiles[0]?.text ?? '';

export const refScriptFile: string = `${createHash('sha256').update(refScript).digest('hex').slice(0, 12)}.js`;
