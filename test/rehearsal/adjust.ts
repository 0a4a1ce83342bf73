import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

// Works around the gaps of the emulator, in the template that the rehearsal deploys and not in the product.

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

export interface Addresses {
  /** Of the API and the web application. */
  api: string;
  emulator: string;
  iamCheck: string;
  region: string;
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
const replaceAddresses = (template: string, { api, region }: Addresses): string =>
  template
    .replaceAll(/\{"Fn::GetAtt":\["\w+","ApiEndpoint"\]\}/g, JSON.stringify(api))
    .replaceAll(
      /\{"Fn::GetAtt":\["(\w+)","ProviderURL"\]\}/g,
      (_, pool) => `{"Fn::Join":["",["https://cognito-idp.${region}.amazonaws.com/",{"Ref":"${pool}"}]]}`,
    );

/** Changes the hash by which the template is uploaded: the CLI does not upload a hash again. */
const renameTemplate = (folder: string, stackName: string, file: string): void => {
  const { files } = Assets.parse(JSON.parse(readFileSync(join(folder, `${stackName}.assets.json`), 'utf8')));
  const oldHash = Object.keys(files).find((hash) => files[hash]?.source.path === basename(file));
  if (oldHash === undefined) throw new Error(`The assembly has no template of ${stackName}`);
  const newHash = createHash('sha256').update(readFileSync(file)).digest('hex');
  for (const name of [`${stackName}.assets.json`, 'manifest.json']) {
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(oldHash, newHash));
  }
};

/**
 * Changes the template of a cloud assembly so that the emulator can deploy it.
 * @returns how many resources the product's stack has, and the template to deploy
 */
export const adjustAssembly = (folder: string, stackName: string, addresses: Addresses) => {
  const file = join(folder, `${stackName}.template.json`);
  const template = Template.parse(JSON.parse(readFileSync(file, 'utf8')));
  const resources = Object.keys(template.Resources).length;
  leaveOutUnknown(template);
  simplifyAlarms(template);
  setVariables(template, stackName, addresses);
  const text = replaceAddresses(JSON.stringify(template), addresses);
  writeFileSync(file, text);
  renameTemplate(folder, stackName, file);
  return { resources, template: JSON.parse(text) };
};
