import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Template } from './template.ts';

/** The one stack of a cloud assembly: its template, its name, and the folder of each Lambda's code. */
export interface Assembly {
  readonly stackName: string;
  readonly template: Template;
  /** The folder with a function's code, by the function's logical id. */
  readonly codeFolder: (logicalId: string) => string;
}

interface Manifest {
  readonly artifacts?: {
    [id: string]: { type: string; properties?: { templateFile?: string; stackName?: string } };
  };
}

interface AssetManifest {
  readonly files?: { [hash: string]: { source: { path?: string; packaging?: string } } };
}

/** Reads the cloud assembly that a synth has left in `assemblyFolder`. Throws unless it holds exactly one stack. */
export async function readAssembly(assemblyFolder: string): Promise<Assembly> {
  const manifest: Manifest = JSON.parse(await readFile(join(assemblyFolder, 'manifest.json'), 'utf8'));
  const artifacts = Object.entries(manifest.artifacts ?? {});
  const stacks = artifacts.filter(([, artifact]) => artifact.type === 'aws:cloudformation:stack');
  const [id, stack] = stacks[0] ?? [];
  if (stacks.length !== 1 || id === undefined || stack?.properties?.templateFile === undefined) {
    throw new Error(`Expected one stack in ${assemblyFolder}, found ${stacks.length}.`);
  }
  const templateFile = join(assemblyFolder, stack.properties.templateFile);
  const template: Template = JSON.parse(await readFile(templateFile, 'utf8'));
  const assets = await readAssetManifest(templateFile.replace(/\.template\.json$/, '.assets.json'));
  return {
    stackName: stack.properties.stackName ?? id,
    template,
    codeFolder: (logicalId) => join(assemblyFolder, codePath(template, assets, logicalId)),
  };
}

async function readAssetManifest(file: string): Promise<AssetManifest> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return {};
  }
}

/** The asset's folder from the function's metadata, or from the assets manifest by the hash in its S3 key. */
function codePath(template: Template, assets: AssetManifest, logicalId: string): string {
  const { Metadata: metadata, Properties: properties } = template.Resources[logicalId] ?? {};
  const path = metadata?.['aws:asset:path'];
  if (typeof path === 'string') return path;
  const code = properties?.Code;
  const key = typeof code === 'object' && code !== null && !Array.isArray(code) ? code.S3Key : undefined;
  const hash = typeof key === 'string' ? key.replace(/\.[^.]*$/, '') : '';
  const source = assets.files?.[hash]?.source.path;
  if (source === undefined) throw new Error(`The cloud assembly has no code for the function ${logicalId}.`);
  return source;
}
