import { Aws, Duration } from 'aws-cdk-lib';
import {
  AccountRecovery,
  CfnManagedLoginBranding,
  ManagedLoginVersion,
  Mfa,
  OAuthScope,
  UserPool,
  UserPoolClient,
  UserPoolEmail,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { removalPolicyOf } from './removal-policy.ts';

/** The people who may sign in, and the pages where they do: a user pool with managed login. */
export class People extends Construct {
  readonly pool: UserPool;
  /** For the operator, who invites people. */
  readonly userPoolId: string;
  /** Where the pages of the managed login are. */
  readonly origin: string;

  constructor(scope: Construct, settings: Settings) {
    super(scope, 'SignIn');
    const pool = new UserPool(this, 'UserPool', {
      selfSignUpEnabled: settings.signUp === 'open',
      // A second factor by an authenticator app, for whoever sets it up.
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      signInAliases: { email: true },
      signInCaseSensitive: false,
      autoVerify: { email: true },
      // An account is found by its address: a new one counts when it is verified, and until then the old one stays.
      keepOriginal: { email: true },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      passwordPolicy: { minLength: 12 },
      ...(settings.signInEmail && {
        email: UserPoolEmail.withSES({ fromEmail: settings.signInEmail, sesRegion: Aws.REGION }),
      }),
      deletionProtection: settings.deletionProtection,
      removalPolicy: removalPolicyOf(settings),
    });
    const domain = pool.addDomain('Domain', {
      cognitoDomain: {
        domainPrefix: settings.signInDomainPrefix ?? `affiliate-program-${settings.stage}-${Aws.ACCOUNT_ID}`,
      },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
    this.pool = pool;
    this.userPoolId = pool.userPoolId;
    this.origin = domain.baseUrl();
  }
}

/** How the web application has people sign in. docs/behavior.md#sign-in-and-sessions */
export class SignIn extends Construct {
  /** The OpenID Connect issuer, and the application's id at it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Where the pages of the managed login are. */
  readonly origin: string;

  constructor(scope: Construct, { people: { pool, origin }, appUrl }: { people: People; appUrl: string }) {
    super(scope, 'SignIn');
    // Without a secret: a code is worth nothing without the verifier that stays in the browser's encrypted cookie.
    const client = new UserPoolClient(this, 'WebApp', {
      userPool: pool,
      generateSecret: false,
      preventUserExistenceErrors: true,
      authFlows: {},
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL],
        callbackUrls: [`${appUrl}/sign-in/callback`],
        logoutUrls: [`${appUrl}/`],
      },
      idTokenValidity: Duration.minutes(5),
      accessTokenValidity: Duration.minutes(5),
    });
    // The newer pages exist for a client only once it has a style, be it Cognito's own.
    new CfnManagedLoginBranding(this, 'Branding', {
      userPoolId: pool.userPoolId,
      clientId: client.userPoolClientId,
      useCognitoProvidedValues: true,
    });
    this.issuer = pool.userPoolProviderUrl;
    this.clientId = client.userPoolClientId;
    this.origin = origin;
  }
}
