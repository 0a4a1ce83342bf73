import { devNull } from 'node:os';

/** The account and region that everything local pretends to live in. */
export const accountId = '000000000000';
export const region = 'us-east-1';
export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The variables by which the AWS SDK finds the embedded servers instead of AWS. */
export const sdkEnvironment = (
  dynamodbEndpoint: string,
  sqsEndpoint: string,
  secretsEndpoint: string,
): Record<string, string> => ({
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
  AWS_ENDPOINT_URL_SQS: sqsEndpoint,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsEndpoint,
  // The SDK would otherwise read the settings of whoever started the stack.
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
});
