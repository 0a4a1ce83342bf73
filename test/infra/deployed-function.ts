import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { pascalCase } from '../../infra/constructs/pascal-case.ts';
import { ensureSynthesized } from '../../infra/synth.ts';
import type { Need } from '../../shared/contract/needs.ts';
import { functionsOf, routesOf } from '../../shared/contract/routes.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';

/** What a role's policy allows, as the template has it. */
export interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: Record<string, Record<string, string[]>>;
}

/** A Lambda of the template, with what it runs, is told and may do. */
export interface DeployedFunction {
  logicalId: string;
  code: string;
  variables: Record<string, unknown>;
  statements: Statement[];
}

/** The settings of a stack in production, as its operator might choose them. */
export const productionSettings = {
  STAGE: 'prod',
  ALARM_EMAIL: 'operator@example.com',
  WEBHOOK_RETRY_SECONDS: '1,2',
  CONNECTOR_PLATFORM: 'zapier',
};

export interface SynthesizedStack {
  template: Template;
  /** The folder with the template's assets. */
  assemblyFolder: string;
}

/** The template of a stage, and the folder with its assets. */
export const synthesizedTemplate = async (overrides: Record<string, string> = {}): Promise<SynthesizedStack> => {
  const { assemblyFolder } = await ensureSynthesized(overrides);
  const file = `affiliate-program-${overrides.STAGE ?? 'local'}.template.json`;
  return { template: Template.fromJSON(JSON.parse(readFileSync(join(assemblyFolder, file), 'utf8'))), assemblyFolder };
};

let production: Promise<SynthesizedStack> | undefined;

/** The stack in production. One synthesis serves all tests, because each takes seconds. */
export const synthesizedProduction = (): Promise<SynthesizedStack> => {
  production ??= synthesizedTemplate(productionSettings);
  return production;
};

/** The Lambda with that logical id. */
export const deployedFunction = (
  logicalId: string,
  { template, assemblyFolder }: SynthesizedStack,
): DeployedFunction => {
  const lambda = template.findResources('AWS::Lambda::Function')[logicalId];
  if (!lambda) throw new Error(`No Lambda has the logical id ${logicalId}`);
  const role = template.findResources('AWS::IAM::Role')[lambda.Properties.Role['Fn::GetAtt'][0]];
  const policies: { PolicyDocument: { Statement: Statement[] } }[] = role?.Properties.Policies ?? [];
  return {
    logicalId,
    code: readFileSync(join(assemblyFolder, lambda.Metadata['aws:asset:path'], 'index.js'), 'utf8'),
    variables: lambda.Properties.Environment?.Variables ?? {},
    statements: policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
  };
};

/** The logical id of the Lambda that an alias is of; undefined where that is no alias. */
const functionOfAlias = (logicalId: string | undefined, template: Template): string | undefined =>
  template.findResources('AWS::Lambda::Alias')[logicalId ?? '']?.Properties.FunctionName.Ref;

/** The logical id of the Lambda behind a route, such as `ANY /api/v1/coupons`; undefined where there is no such route. */
export const lambdaBehindRoute = (routeKey: string, template: Template): string | undefined => {
  const routes = Object.values(
    template.findResources('AWS::ApiGatewayV2::Route', { Properties: { RouteKey: routeKey } }),
  );
  const integrationId: string | undefined = routes[0]?.Properties.Target['Fn::Join'][1][1].Ref;
  if (!integrationId) return undefined;
  const uri = template.findResources('AWS::ApiGatewayV2::Integration')[integrationId]?.Properties.IntegrationUri;
  return uri?.['Fn::GetAtt']?.[0] ?? functionOfAlias(uri?.Ref, template);
};

/** The logical id of the Lambda of a worker; undefined where there is none. */
export const lambdaOfWorker = (workerId: string, template: Template): string | undefined => {
  const sources = Object.entries(template.findResources('AWS::Lambda::EventSourceMapping'));
  const source = sources.find(([logicalId]) => logicalId.startsWith(`${pascalCase(workerId)}Source`));
  const called = source?.[1].Properties.FunctionName;
  // The name of an alias is cut out of its ARN.
  return called?.Ref ?? functionOfAlias(called?.['Fn::Join'][1][0]['Fn::Select'][1]['Fn::Split'][1].Ref, template);
};

/** A Lambda by the name of its file, with the needs that the contract declares for it. */
export interface LambdaWithNeeds {
  name: string;
  needs: readonly Need[];
  deployed: DeployedFunction;
}

/** Every Lambda of a template whose connector is for `platform`. */
export const lambdasWithNeeds = (stack: SynthesizedStack, platform = 'automation'): LambdaWithNeeds[] => {
  const { template } = stack;
  const everyWorker: readonly Worker[] = workers;
  const find = (name: string, needs: readonly Need[], logicalId: string | undefined): LambdaWithNeeds => {
    if (!logicalId) throw new Error(`The template has no Lambda for ${name}`);
    return { name, needs, deployed: deployedFunction(logicalId, stack) };
  };
  return [
    ...functionsOf(routesOf(platform)).map(({ name, needs, routes: [first] }) =>
      find(name, needs, lambdaBehindRoute(`ANY ${first?.path}`, template)),
    ),
    ...everyWorker.map(({ id, needs }) => find(id, needs, lambdaOfWorker(id, template))),
    find('not-found', ['web:serve'], lambdaBehindRoute('$default', template)),
  ];
};
