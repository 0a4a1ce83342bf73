import { RemovalPolicy } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { SecretName } from '../../shared/contract/needs.ts';
import type { Settings } from '../settings.ts';
import { pascalCase } from './pascal-case.ts';

/** A generated secret that nobody needs to know: 64 letters and digits, from which a key of 256 bits is made. */
export class EncryptionSecret extends Secret {
  constructor(scope: Construct, name: SecretName, settings: Settings) {
    super(scope, `${pascalCase(name)}Secret`, {
      description: `Encrypts ${name} of the affiliate program API`,
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: settings.removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}
