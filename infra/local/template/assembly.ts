import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { combine, type Part } from './combine.ts';
import type { Template } from './template.ts';

/** The stacks of a cloud assembly as one: their templates, the name, and the folder of each Lambda's code. */
export interface Assembly {
  /** Of the stack that the others serve. */
  readonly stackName: string;
  readonly template: Template;
  /** The folder with a function's code, by the function's logical id. */
  readonly codeFolder: (logicalId: string) => string;
}

export interface CloudAssembly extends Assembly {
  /** Of all its stacks. */
  readonly stackNames: readonly string[];
}

interface Artifact {
  readonly type: string;
  readonly properties?: { readonly templateFile?: string; readonly stackName?: string; readonly file?: string };
  readonly dependencies?: readonly string[];
}

interface Asset {
  readonly source: { readonly path?: string };
}

interface AssetManifest {
  readonly files?: { readonly [hash: string]: Asset };
}

const readJson = <Content>(folder: string, file: string): Content =>
  JSON.parse(readFileSync(join(folder, file), 'utf8'));

const readPart = (folder: string, templateFile: string): Part => {
  const template = readJson<Template>(folder, templateFile);
  const nested = Object.entries(template.Resources).flatMap(([logicalId, { Type, Metadata }]): [string, Part][] => {
    if (Type !== 'AWS::CloudFormation::Stack') return [];
    const path = Metadata?.['aws:asset:path'];
    if (typeof path !== 'string') throw new Error(`The cloud assembly does not tell the template of ${logicalId}.`);
    return [[logicalId, readPart(folder, path)]];
  });
  return { template, nested: new Map(nested) };
};

/** Reads the cloud assembly that a synth has left in `assemblyFolder`. Throws unless one of its stacks is not needed by another. */
export function readAssembly(assemblyFolder: string): CloudAssembly {
  const { artifacts = {} } = readJson<{ artifacts?: { [id: string]: Artifact } }>(assemblyFolder, 'manifest.json');
  const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const needed = new Set(stacks.flatMap(([, { dependencies = [] }]) => dependencies));
  const [[mainId, main] = [], ...others] = stacks.filter(([id]) => !needed.has(id));
  if (!main || mainId === undefined || others.length > 0)
    throw new Error(
      `Expected one stack in ${assemblyFolder} that no other needs, found ${others.length + (main ? 1 : 0)}.`,
    );
  const nameOf = (id: string, { properties }: Artifact): string => properties?.stackName ?? id;
  const parts = new Map(
    stacks.map(([id, stack]) => [nameOf(id, stack), readPart(assemblyFolder, stack.properties?.templateFile ?? '')]),
  );
  const assets = Object.values(artifacts).flatMap(({ type, properties }) =>
    type === 'cdk:asset-manifest' && properties?.file !== undefined
      ? Object.entries(readJson<AssetManifest>(assemblyFolder, properties.file).files ?? {})
      : [],
  );
  const stackName = nameOf(mainId, main);
  const template = combine(parts, stackName);
  return {
    stackName,
    stackNames: [...parts.keys()],
    template,
    codeFolder: (logicalId) => join(assemblyFolder, codePath(template, new Map(assets), logicalId)),
  };
}

/** The asset's folder from the function's metadata, or from the assets manifest by the hash in its S3 key. */
function codePath(template: Template, assets: ReadonlyMap<string, Asset>, logicalId: string): string {
  const { Metadata: metadata, Properties: properties } = template.Resources[logicalId] ?? {};
  const path = metadata?.['aws:asset:path'];
  if (typeof path === 'string') return path;
  const code = properties?.Code;
  const key = typeof code === 'object' && code !== null && !Array.isArray(code) ? code.S3Key : undefined;
  const hash = typeof key === 'string' ? key.replace(/\.[^.]*$/, '') : '';
  const source = assets.get(hash)?.source.path;
  if (source === undefined) throw new Error(`The cloud assembly has no code for the function ${logicalId}.`);
  return source;
}
