import type { SecretValue } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { type SecretName, secretNames } from '../../shared/contract/needs.ts';
import type { Settings } from '../settings.ts';
import { pascalCase } from './pascal-case.ts';
import { removalPolicyOf } from './removal-policy.ts';

const generatedSecret = (scope: Construct, id: string, purpose: string, settings: Settings): Secret =>
  new Secret(scope, id, {
    description: `Affiliate program API, stage ${settings.stage}: ${purpose}`,
    generateSecretString: { passwordLength: 64, excludePunctuation: true },
    removalPolicy: removalPolicyOf(settings),
  });

/** The secrets that functions encrypt with. Their values are made by Secrets Manager and never seen by anybody. */
export const addEncryptionKeys = (scope: Construct, settings: Settings): ReadonlyMap<SecretName, Secret> =>
  new Map(
    secretNames.map((name) => [
      name,
      generatedSecret(scope, `${pascalCase(name)}Secret`, `encrypts ${name}`, settings),
    ]),
  );

/**
 * The key that authenticates cursors. Functions get it as a variable: reading it from Secrets Manager would cost every cold
 * start of a list a call, for a key that opens nothing but a position in the caller's own list.
 */
export const addCursorKey = (scope: Construct, settings: Settings): SecretValue =>
  generatedSecret(scope, 'CursorSecret', 'authenticates cursors', settings).secretValue;
