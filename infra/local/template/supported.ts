import { conditionHolds, type Json, type Resource, type Scope } from './template.ts';

/** Properties that only name, tag or describe. */
const descriptions = ['Description', 'Tags', 'Name'];

/**
 * The types that the local stack runs, each with the properties that it heeds and those that change nothing on one machine,
 * such as backups.
 */
const run: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGatewayV2::Api': ['CorsConfiguration', 'ProtocolType', 'DisableExecuteApiEndpoint'],
  'AWS::ApiGatewayV2::Integration': ['ApiId', 'IntegrationType', 'IntegrationUri', 'PayloadFormatVersion'],
  'AWS::ApiGatewayV2::Route': ['ApiId', 'AuthorizationType', 'RouteKey', 'Target'],
  'AWS::ApiGatewayV2::Stage': ['AccessLogSettings', 'ApiId', 'AutoDeploy', 'DefaultRouteSettings', 'StageName'],
  // The provider signs in every address with one password, whatever a pool demands.
  'AWS::Cognito::UserPool': [
    ...['AccountRecoverySetting', 'AdminCreateUserConfig', 'AutoVerifiedAttributes', 'DeletionProtection'],
    ...['EmailConfiguration', 'EmailVerificationMessage', 'EmailVerificationSubject', 'EnabledMfas'],
    ...['MfaConfiguration', 'Policies', 'SmsVerificationMessage', 'UserAttributeUpdateSettings', 'UserPoolAddOns'],
    ...['UserPoolTier', 'UsernameAttributes', 'UsernameConfiguration', 'VerificationMessageTemplate'],
  ],
  'AWS::Cognito::UserPoolClient': [
    ...['AccessTokenValidity', 'AllowedOAuthFlows', 'AllowedOAuthFlowsUserPoolClient', 'AllowedOAuthScopes'],
    ...['CallbackURLs', 'GenerateSecret', 'IdTokenValidity', 'LogoutURLs', 'PreventUserExistenceErrors'],
    ...['RefreshTokenValidity', 'SupportedIdentityProviders', 'TokenValidityUnits', 'UserPoolId'],
  ],
  'AWS::Cognito::UserPoolDomain': ['Domain', 'ManagedLoginVersion', 'UserPoolId'],
  'AWS::DynamoDB::Table': [
    ...['AttributeDefinitions', 'BillingMode', 'DeletionProtectionEnabled', 'GlobalSecondaryIndexes', 'KeySchema'],
    ...['PointInTimeRecoverySpecification', 'SSESpecification', 'StreamSpecification', 'TableName'],
    'TimeToLiveSpecification',
  ],
  'AWS::DynamoDB::GlobalTable': [
    ...['AttributeDefinitions', 'BillingMode', 'GlobalSecondaryIndexes', 'KeySchema', 'Replicas', 'SSESpecification'],
    ...['StreamSpecification', 'TableName', 'TimeToLiveSpecification'],
  ],
  'AWS::IAM::Policy': ['PolicyDocument', 'PolicyName', 'Roles'],
  'AWS::IAM::Role': ['AssumeRolePolicyDocument', 'Path', 'Policies', 'RoleName'],
  'AWS::Lambda::EventSourceMapping': [
    ...['BatchSize', 'BisectBatchOnFunctionError', 'DestinationConfig', 'Enabled', 'EventSourceArn', 'FilterCriteria'],
    ...['FunctionName', 'FunctionResponseTypes', 'MaximumBatchingWindowInSeconds', 'MaximumRetryAttempts'],
    ...['MetricsConfig', 'ParallelizationFactor', 'ScalingConfig', 'StartingPosition'],
  ],
  'AWS::Lambda::Function': [
    ...['Architectures', 'Code', 'Environment', 'FunctionName', 'Handler', 'LoggingConfig', 'MemorySize'],
    ...['RecursiveLoop', 'Role', 'Runtime', 'Timeout', 'TracingConfig'],
  ],
  'AWS::S3::Bucket': [
    ...[
      'BucketEncryption',
      'BucketName',
      'LifecycleConfiguration',
      'OwnershipControls',
      'PublicAccessBlockConfiguration',
    ],
  ],
  // Every domain counts as verified, and nothing leaves this machine.
  'AWS::SES::EmailIdentity': ['DkimAttributes', 'DkimSigningAttributes', 'EmailIdentity'],
  'AWS::SES::ConfigurationSet': ['SuppressionOptions'],
  'AWS::SES::ConfigurationSetEventDestination': ['ConfigurationSetName', 'EventDestination'],
  'AWS::SNS::Topic': ['TopicName'],
  'AWS::SNS::Subscription': ['Endpoint', 'Protocol', 'RawMessageDelivery', 'TopicArn'],
  'AWS::SQS::Queue': [
    ...['ContentBasedDeduplication', 'DelaySeconds', 'FifoQueue', 'KmsMasterKeyId', 'MaximumMessageSize'],
    ...['MessageRetentionPeriod', 'QueueName', 'RedrivePolicy', 'SqsManagedSseEnabled', 'VisibilityTimeout'],
  ],
  'AWS::Scheduler::Schedule': [
    ...['FlexibleTimeWindow', 'GroupName', 'ScheduleExpression', 'ScheduleExpressionTimezone', 'State', 'Target'],
  ],
  'AWS::SecretsManager::Secret': ['GenerateSecretString', 'KmsKeyId'],
};

/** Values beside which others would have to be run differently. */
const onlyValues: Readonly<Record<string, readonly Json[]>> = {
  'AWS::ApiGatewayV2::Api ProtocolType': ['HTTP'],
  'AWS::ApiGatewayV2::Integration IntegrationType': ['AWS_PROXY'],
  'AWS::ApiGatewayV2::Integration PayloadFormatVersion': ['2.0'],
  'AWS::ApiGatewayV2::Route AuthorizationType': ['NONE'],
  'AWS::ApiGatewayV2::Stage StageName': ['$default'],
  'AWS::Lambda::EventSourceMapping StartingPosition': ['TRIM_HORIZON'],
  // Email tells people of alarms, none of which rises here.
  'AWS::SNS::Subscription Protocol': ['sqs', 'email', 'email-json'],
};

/** What only observes, names or guards on AWS: nothing that functions do depends on it. */
const inert: readonly string[] = [
  ...['AWS::CDK::Metadata', 'AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard', 'AWS::Logs::LogGroup'],
  ...['AWS::ApiGatewayV2::ApiMapping', 'AWS::ApiGatewayV2::DomainName', 'AWS::CertificateManager::Certificate'],
  ...['AWS::Cognito::ManagedLoginBranding', 'AWS::Route53::RecordSet'],
  // Resource policies: those of roles are evaluated, and of these what feedback on mails needs.
  ...['AWS::Lambda::Permission', 'AWS::S3::BucketPolicy', 'AWS::SNS::TopicPolicy', 'AWS::SQS::QueuePolicy'],
];

const isAbsent = (value: Json | undefined): boolean =>
  typeof value === 'object' && value !== null && 'Ref' in value && value.Ref === 'AWS::NoValue';

/** What is wrong with a property; undefined where nothing is. */
const unsupportedProperty = (type: string, name: string, value: Json | undefined): string | undefined => {
  if (isAbsent(value) || descriptions.includes(name)) return undefined;
  if (!run[type]?.includes(name)) return `the property ${name}`;
  const values = onlyValues[`${type} ${name}`];
  return !values || values.includes(value ?? null) ? undefined : `${name} ${JSON.stringify(value)}`;
};

const unsupported = (logicalId: string, { Type: type, Properties: properties = {} }: Resource): string[] => {
  if (inert.includes(type)) return [];
  if (!run[type]) return [`the resource ${logicalId} of type ${type}`];
  return Object.entries(properties).flatMap(([name, value]) => {
    const found = unsupportedProperty(type, name, value);
    return found ? [`${found} of the resource ${logicalId} of type ${type}`] : [];
  });
};

/** Throws, with a sentence, where a template has what the local stack does not run: nothing of it is ignored in silence. */
export function refuseUnsupported(scope: Scope): void {
  const present = Object.entries(scope.template.Resources).filter(([, { Condition }]) =>
    conditionHolds(Condition, scope),
  );
  const found = present.flatMap(([logicalId, resource]) => unsupported(logicalId, resource));
  if (found.length > 0) throw new Error(`The local stack does not run ${found.join(', ')}.`);
}
