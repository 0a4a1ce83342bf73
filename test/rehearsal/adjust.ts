import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { accountId, region } from '../../infra/local/account.ts';

// Works around the gaps of the emulator, in the templates that the rehearsal deploys and not in the product.

const Resource = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).optional(),
  DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
});
const Template = z.looseObject({ Resources: z.record(z.string(), Resource) });
type Template = z.infer<typeof Template>;
const Assets = z.object({ files: z.record(z.string(), z.object({ source: z.object({ path: z.string() }) })) });

/** Types of resources that the emulator does not support, and that no other resource refers to. */
const unknownTypes: readonly string[] = ['AWS::Cognito::ManagedLoginBranding'];
const isUnknown = ({ Type }: z.infer<typeof Resource>): boolean =>
  unknownTypes.includes(Type) || Type.startsWith('AWS::CodeDeploy::');

const leaveOutUnknown = ({ Resources }: Template): void => {
  const unknown = Object.keys(Resources).filter((id) => isUnknown(Resources[id] ?? { Type: '' }));
  for (const id of unknown) delete Resources[id];
  for (const resource of Object.values(Resources)) {
    // How CodeDeploy changes an alias.
    delete resource.UpdatePolicy;
    const left = [resource.DependsOn ?? []].flat().filter((id) => !unknown.includes(id));
    if (left.length > 0) resource.DependsOn = left;
    else delete resource.DependsOn;
  }
};

/** An alarm about an expression becomes one about a single metric. */
const simplifyAlarms = ({ Resources }: Template): void => {
  for (const { Type, Properties } of Object.values(Resources))
    if (Type === 'AWS::CloudWatch::Alarm' && Properties?.Metrics) {
      delete Properties.Metrics;
      Object.assign(Properties, { Namespace: 'AWS/Lambda', MetricName: 'Errors', Period: 60, Statistic: 'Sum' });
    }
};

/** What attributes of resources are made of, by type and attribute. */
const attributeText: Readonly<Record<string, (id: string) => unknown>> = {
  'AWS::IAM::Role Arn': (id) => joined(`arn:aws:iam::${accountId}:role/`, { Ref: id }),
  'AWS::Lambda::Function Arn': (id) => joined(`arn:aws:lambda:${region}:${accountId}:function:`, { Ref: id }),
  'AWS::Logs::LogGroup Arn': (id) => joined(`arn:aws:logs:${region}:${accountId}:log-group:`, { Ref: id }, ':*'),
  'AWS::Lambda::Version Version': (id) => ({ 'Fn::Select': [7, { 'Fn::Split': [':', { Ref: id }] }] }),
};
const joined = (...parts: readonly unknown[]) => ({ 'Fn::Join': ['', parts] });

/** When a nested stack is updated, the emulator forgets the attributes of its resources that have not changed, and keeps their ids. */
const replaceAttributes = (value: unknown, resources: Template['Resources']): unknown => {
  if (Array.isArray(value)) return value.map((item) => replaceAttributes(item, resources));
  if (typeof value !== 'object' || value === null) return value;
  if ('Fn::GetAtt' in value && Array.isArray(value['Fn::GetAtt'])) {
    const [id, attribute] = value['Fn::GetAtt'];
    return attributeText[`${resources[id]?.Type} ${attribute}`]?.(id) ?? value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceAttributes(item, resources)]));
};

export interface Addresses {
  /** Of the API and the web application. */
  api: string;
  emulator: string;
  iamCheck: string;
}

const reroute = fileURLToPath(new URL('reroute.cjs', import.meta.url));
const environment = z.object({ Variables: z.record(z.string(), z.unknown()) });

/** Has every function call services at an address of its own, where its permissions are checked. */
const setVariables = ({ Resources }: Template, stackName: string, { emulator, iamCheck }: Addresses): void => {
  for (const [logicalId, { Type, Properties }] of Object.entries(Resources))
    if (Type === 'AWS::Lambda::Function' && Properties) {
      const { Variables } = environment.parse(Properties.Environment ?? { Variables: {} });
      Properties.Environment = {
        Variables: {
          ...Variables,
          AWS_ENDPOINT_URL: `${iamCheck}/${stackName}/${logicalId}`,
          EMULATOR_URL: emulator,
          NODE_OPTIONS: `--require ${reroute}`,
        },
      };
    }
};

/** Replaces the address of the API, and the issuer of tokens by what it is on AWS. */
const replaceAddresses = (template: string, { api }: Addresses): string =>
  template
    .replaceAll(/\{"Fn::GetAtt":\["\w+","ApiEndpoint"\]\}/g, JSON.stringify(api))
    .replaceAll(
      /\{"Fn::GetAtt":\["(\w+)","ProviderURL"\]\}/g,
      (_, pool) => `{"Fn::Join":["",["https://cognito-idp.${region}.amazonaws.com/",{"Ref":"${pool}"}]]}`,
    );

/** Changes the hash by which a template is uploaded, wherever it stands: the CLI does not upload a hash again. */
const renameTemplate = (folder: string, file: string): void => {
  const all = globSync(join(folder, '*.json'));
  const assets = all
    .filter((path) => path.endsWith('.assets.json'))
    .map((path) => Assets.parse(JSON.parse(readFileSync(path, 'utf8'))));
  const oldHash = assets
    .flatMap(({ files }) => Object.entries(files))
    .find(([, { source }]) => source.path === file)?.[0];
  if (oldHash === undefined) throw new Error(`The assembly has no template ${file}`);
  const newHash = createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex');
  for (const path of all) writeFileSync(path, readFileSync(path, 'utf8').replaceAll(oldHash, newHash));
};

/** The templates of an assembly, nested ones first: their hashes are in those around them. */
const templatesIn = (folder: string): string[] => [
  ...globSync('*.nested.template.json', { cwd: folder }),
  ...globSync('*.template.json', { cwd: folder, exclude: ['*.nested.template.json'] }),
];

/**
 * Changes the templates of a cloud assembly so that the emulator can deploy them.
 * @param stackName part of the address that functions call services at
 * @returns how many resources the product's stacks have
 */
export const adjustAssembly = (folder: string, stackName: string, addresses: Addresses): number => {
  let resources = 0;
  for (const file of templatesIn(folder)) {
    const path = join(folder, file);
    const template = Template.parse(JSON.parse(readFileSync(path, 'utf8')));
    resources += Object.keys(template.Resources).length;
    leaveOutUnknown(template);
    simplifyAlarms(template);
    setVariables(template, stackName, addresses);
    const adjusted = file.endsWith('.nested.template.json')
      ? replaceAttributes(template, template.Resources)
      : template;
    writeFileSync(path, replaceAddresses(JSON.stringify(adjusted), addresses));
    renameTemplate(folder, file);
  }
  return resources;
};
