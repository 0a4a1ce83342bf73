import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type IFunction,
  Function as LambdaFunction,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Need } from '../../shared/contract/needs.ts';
import type { FunctionCode } from '../bundle.ts';
import { environmentFor } from './environment.ts';
import { permissionsFor } from './permissions.ts';
import { removalPolicyOf } from './removal-policy.ts';
import type { Resources } from './resources.ts';

interface ServiceFunctionProps {
  /** The file in `functions/`, without its ending. */
  readonly name: string;
  readonly needs: readonly Need[];
  readonly timeoutSeconds: number;
  readonly resources: Resources;
  /** What its trigger must allow it, beside its needs. */
  readonly triggerPermissions?: readonly PolicyStatement[];
  /** What it must be told, beside what its needs ask for. */
  readonly triggerEnvironment?: Readonly<Record<string, string>>;
  /** How many it may run at once, whatever else the account runs, and no more; 0 reserves nothing. */
  readonly reservedConcurrency?: number;
  /** Whether Lambda lets it send messages that lead back to itself, more than 16 in a chain. */
  readonly mayLoop?: boolean;
}

/** The bundle of a function. Fails the synthesis with the reason where there is none. */
const bundleOf = (name: string, { codeOf }: Resources): FunctionCode => {
  const code = codeOf(name);
  if (existsSync(join(code.folder, code.handler.replace(/\.\w+$/, '.js')))) return code;
  throw new Error(
    `The contract has a Lambda '${name}', but functions/${name}.ts is missing, or was not bundled (npm run build)`,
  );
};

/** A Lambda of ours: one file of `functions/`, allowed and told what its needs name and nothing else. */
export class ServiceFunction extends LambdaFunction {
  /** What a route or a queue calls: the function, or its alias where new code gets its requests gradually. */
  readonly live: IFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { name, needs, timeoutSeconds, resources, triggerPermissions = [], triggerEnvironment, mayLoop } = props;
    const { reservedConcurrency = 0 } = props;
    const { settings } = resources;
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: settings.logRetentionDays,
      removalPolicy: removalPolicyOf(settings),
    });
    const statements = [
      ...permissionsFor(needs, resources),
      ...triggerPermissions,
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
      // The one permission on every resource: X-Ray has no resources to name.
      ...(settings.tracing
        ? [new PolicyStatement({ actions: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], resources: ['*'] })]
        : []),
    ];
    // Permissions inside the role, not beside it: one resource less a function, and there before the function is.
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { needs: new PolicyDocument({ statements }) },
    });
    const { folder, handler } = bundleOf(name, resources);
    super(scope, id, {
      code: Code.fromAsset(folder),
      handler,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // Less would halve the processor too: below this, a cold start must warm up at init.
      memorySize: 1024,
      timeout: Duration.seconds(timeoutSeconds),
      environment: { ...environmentFor(needs, resources), ...triggerEnvironment },
      role: role.withoutPolicyUpdates(),
      tracing: settings.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      logGroup,
      ...(mayLoop && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(reservedConcurrency > 0 && { reservedConcurrentExecutions: reservedConcurrency }),
    });
    this.live = resources.gradualDeployment?.deploy(name, this) ?? this;
  }
}
