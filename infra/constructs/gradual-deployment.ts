import { Aws, Duration, Stack } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { metricsNamespace, serverErrorsMetric } from '../../shared/contract/metrics.ts';
import { RunbookAlarm } from './runbook-alarm.ts';

interface Deployed {
  /** The function's file in `functions/`. */
  readonly name: string;
  /** The stack that the function is in. */
  readonly stack: Stack;
  readonly group: LambdaDeploymentGroup;
  /** What counts the failures of the new version alone. */
  readonly failures: readonly Metric[];
}

const aliasName = 'live';
/** An alarm compares ten metrics at most, of which a function has two. */
const functionsOfAlarm = 5;
const period = Duration.minutes(5);

/** Crashes, timeouts and 5xx responses of a version: those of the version before it do not count. */
const failuresOf = ({ functionName }: LambdaFunction, { version }: IVersion): Metric[] => [
  new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'Errors',
    dimensionsMap: { FunctionName: functionName, Resource: `${functionName}:${aliasName}`, ExecutedVersion: version },
    statistic: Stats.SUM,
    period,
  }),
  new Metric({
    namespace: metricsNamespace,
    metricName: serverErrorsMetric.name,
    dimensionsMap: {
      [serverErrorsMetric.functionDimension]: functionName,
      [serverErrorsMetric.versionDimension]: version,
    },
    statistic: Stats.SUM,
    period,
  }),
];

/** How many of some functions fail more than twice in five minutes. */
const failing = (functions: readonly Deployed[]): MathExpression => {
  const counts = functions.map(({ failures }, at) =>
    failures.map((metric, kind) => [`f${at}m${kind}`, metric] as const),
  );
  return new MathExpression({
    expression: counts.map((own) => `IF(${own.map(([id]) => `FILL(${id}, 0)`).join(' + ')} > 2, 1, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(counts.flat()),
    label: 'Functions whose new code fails',
    period,
  });
};

/** What the deployments of all functions share. */
export class GradualDeployment extends Construct {
  readonly #application: LambdaApplication;
  readonly #role: IRole;
  readonly #deployed: Deployed[] = [];

  constructor(scope: Construct) {
    super(scope, 'GradualDeployment');
    this.#application = new LambdaApplication(this, 'Application');
    // One role for all: CDK would make one for each function.
    this.#role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited')],
    }).withoutPolicyUpdates();
  }

  /**
   * Gives the newest code of a function a tenth of its calls for five minutes, then all; if it fails meanwhile, the
   * previous code gets them back and the deployment fails.
   *
   * @returns the alias to call
   */
  deploy(name: string, target: LambdaFunction): IFunction {
    // Asserted, because the CDK's classes say `role: IRole | undefined` for what its interfaces call optional.
    const version = target.currentVersion as IVersion;
    const alias = new Alias(target, 'Live', { aliasName, version });
    const group = new LambdaDeploymentGroup(target, 'Deployment', {
      application: this.#application,
      role: this.#role,
      alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    });
    this.#deployed.push({ name, stack: Stack.of(target), group, failures: failuresOf(target, version) });
    return alias as IFunction;
  }

  /**
   * Makes the alarms that take a deployment back, for the functions of one stack, once all of them are there: in their own
   * stack, because their deployments refer to the alarms. They look at new versions alone, so that a deployment that mends what
   * fails is not held up by it.
   */
  watch(stack: Stack, topic: ITopic | undefined): void {
    const own = this.#deployed.filter((deployed) => deployed.stack === stack);
    for (let start = 0; start < own.length; start += functionsOfAlarm) {
      const functions = own.slice(start, start + functionsOfAlarm);
      const alarm = new RunbookAlarm(stack, `Failing${stack.node.id}${start / functionsOfAlarm + 1}`, {
        impact: `New code fails and is taken back, in one of ${functions.map(({ name }) => name).join(', ')}.`,
        section: 'Failing deployment',
        metric: failing(functions),
        threshold: 0,
        periods: 1,
        topic,
      });
      for (const { group } of functions) group.addAlarm(alarm);
    }
  }
}
