import { devNull } from 'node:os';

/** The account and region that everything local pretends to live in. */
export const accountId = '000000000000';
export const region = 'us-east-1';

/** The operator's, who may do everything: the stack itself, command lines and tests. */
export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly secrets: string;
  readonly s3: string;
  readonly ses: string;
}

/** The variables by which the AWS SDK finds the embedded servers instead of AWS, as the caller of those credentials. */
export const sdkEnvironment = (
  endpoints: Endpoints,
  { accessKeyId, secretAccessKey }: { accessKeyId: string; secretAccessKey: string },
): Record<string, string> => ({
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
  AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secrets,
  AWS_ENDPOINT_URL_S3: endpoints.s3,
  AWS_ENDPOINT_URL_SESV2: endpoints.ses,
  // The SDK would otherwise read the settings of whoever started the stack.
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
});

/** What a template's references to account, region and stack resolve to. */
export const pseudoParameters = (stackName: string): Record<string, string> => ({
  'AWS::AccountId': accountId,
  'AWS::Partition': 'aws',
  'AWS::Region': region,
  'AWS::StackName': stackName,
  'AWS::StackId': `arn:aws:cloudformation:${region}:${accountId}:stack/${stackName}/local`,
  'AWS::URLSuffix': 'amazonaws.com',
});
