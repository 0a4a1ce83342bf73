import { Aws } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

/** What the deployments of all functions share. */
export class GradualDeployment extends Construct {
  readonly application: LambdaApplication;
  readonly role: IRole;

  /** Those that take a deployment back while it goes on. */
  readonly alarms: readonly IAlarm[];

  constructor(scope: Construct, alarms: readonly IAlarm[]) {
    super(scope, 'GradualDeployment');
    this.alarms = alarms;
    this.application = new LambdaApplication(this, 'Application');
    // One role for all: CDK would make one for each function.
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited')],
    }).withoutPolicyUpdates();
  }
}

/**
 * Gives the newest code of a function a tenth of its calls for five minutes, then all; if an alarm rises meanwhile, the
 * previous code gets them back and the deployment fails.
 *
 * @returns the alias to call
 */
export const deployGradually = (
  target: LambdaFunction,
  { application, role, alarms }: GradualDeployment,
): IFunction => {
  // Asserted, because the CDK's classes say `role: IRole | undefined` for what its interfaces call optional.
  const version = target.currentVersion as IVersion;
  const alias = new Alias(target, 'Live', { aliasName: 'live', version });
  new LambdaDeploymentGroup(target, 'Deployment', {
    application,
    role,
    alias,
    deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    alarms: [...alarms],
    autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
  });
  return alias as IFunction;
};
