import { RemovalPolicy } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { type SecretName, secretNames } from '../../shared/contract/needs.ts';
import type { Settings } from '../settings.ts';
import { pascalCase } from './pascal-case.ts';

/** The secrets that functions encrypt with. Their values are made by Secrets Manager and never seen by anybody. */
export const addEncryptionKeys = (scope: Construct, settings: Settings): ReadonlyMap<SecretName, Secret> =>
  new Map(
    secretNames.map((name) => [
      name,
      new Secret(scope, `${pascalCase(name)}Secret`, {
        description: `Affiliate program API, stage ${settings.stage}: encrypts ${name}`,
        generateSecretString: { passwordLength: 64, excludePunctuation: true },
        removalPolicy: settings.removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      }),
    ]),
  );
