import { filesBucketVariable } from '../shared/contract/files.ts';
import { type SecretName, secretNames, secretVariable } from '../shared/contract/needs.ts';
import { pascalCase } from './constructs/pascal-case.ts';

/** The output with the ARN of a secret, such as `KeyCopiesSecretArn`. */
export const secretOutput = (name: SecretName): string => `${pascalCase(name)}SecretArn`;

/** An output of a stack. Throws if the stack has none of that name. */
export const required = (outputs: Readonly<Record<string, string>>, name: string): string => {
  const value = outputs[name];
  if (!value) throw new Error(`The stack has no output ${name}`);
  return value;
};

/** The variables by which the code of functions finds the tables, files and secrets of a stack, whatever process it runs in. */
export const stackVariables = (outputs: Readonly<Record<string, string>>): Record<string, string> => ({
  RECORDS_TABLE: required(outputs, 'TableName'),
  TRAFFIC_TABLE: required(outputs, 'TrafficTableName'),
  // A stack of an earlier version lacks the bucket and the secrets that have come since.
  ...(outputs.FilesBucketName && { [filesBucketVariable]: outputs.FilesBucketName }),
  ...Object.fromEntries(
    secretNames.flatMap((name) => {
      const arn = outputs[secretOutput(name)];
      return arn ? [[secretVariable(name), arn]] : [];
    }),
  ),
});
