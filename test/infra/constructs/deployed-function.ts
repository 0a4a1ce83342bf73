import type { Template } from 'aws-cdk-lib/assertions';
import { pascalCase } from '../../../infra/constructs/pascal-case.ts';
import type { Need } from '../../../shared/contract/needs.ts';
import { functionsOf, routesOf } from '../../../shared/contract/routes.ts';
import { type Worker, workers } from '../../../shared/contract/workers.ts';

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
  codeFolder: string;
  variables: Record<string, unknown>;
  statements: Statement[];
}

/** The Lambda with that logical id. */
export const deployedFunction = (logicalId: string, template: Template): DeployedFunction => {
  const lambda = template.findResources('AWS::Lambda::Function')[logicalId];
  if (!lambda) throw new Error(`No Lambda has the logical id ${logicalId}`);
  const role = template.findResources('AWS::IAM::Role')[lambda.Properties.Role['Fn::GetAtt'][0]];
  const policies: { PolicyDocument: { Statement: Statement[] } }[] = role?.Properties.Policies ?? [];
  return {
    logicalId,
    codeFolder: lambda.Metadata['aws:asset:path'],
    variables: lambda.Properties.Environment?.Variables ?? {},
    statements: policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
  };
};

/** The logical id of the Lambda that an alias is of; undefined where that is no alias. */
const functionOfAlias = (logicalId: string | undefined, template: Template): string | undefined =>
  template.findResources('AWS::Lambda::Alias')[logicalId ?? '']?.Properties.FunctionName.Ref;

/** The logical ids of the Lambdas behind routes, such as `ANY /api/v1/coupons`. */
export const lambdasByRoute = (template: Template): Map<string, string> => {
  const integrations = template.findResources('AWS::ApiGatewayV2::Integration');
  return new Map(
    Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties: { RouteKey, Target } }) => {
      const uri = integrations[Target['Fn::Join'][1][1].Ref]?.Properties.IntegrationUri;
      return [RouteKey, uri?.['Fn::GetAtt']?.[0] ?? functionOfAlias(uri?.Ref, template)];
    }),
  );
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
export const lambdasWithNeeds = (template: Template, platform = 'automation'): LambdaWithNeeds[] => {
  const everyWorker: readonly Worker[] = workers;
  const byRoute = lambdasByRoute(template);
  const find = (name: string, needs: readonly Need[], logicalId: string | undefined): LambdaWithNeeds => {
    if (!logicalId) throw new Error(`The template has no Lambda for ${name}`);
    return { name, needs, deployed: deployedFunction(logicalId, template) };
  };
  return [
    ...functionsOf(routesOf(platform)).map(({ name, needs, routes: [first] }) =>
      find(name, needs, byRoute.get(`ANY ${first?.path}`)),
    ),
    ...everyWorker.map(({ id, needs }) => find(id, needs, lambdaOfWorker(id, template))),
    find('not-found', ['web:serve'], byRoute.get('$default')),
  ];
};
