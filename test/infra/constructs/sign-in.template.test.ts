import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { People } from '../../../infra/constructs/sign-in.ts';
import { readable, resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';
import { templateOfPart } from './template-of-part.ts';

let template: Template;
let prod: Template;
let withSettings: Template;

beforeAll(() => {
  template = templateOf(settings.local);
  prod = templateOf(settings.production);
  const own = { ...settings.dev, signInEmail: 'no-reply@example.com', signInDomainPrefix: 'our-sign-in' };
  withSettings = templateOfPart((stack) => new People(stack, own)).template;
});

describe('sign-in', () => {
  it('is by code and PKCE alone, without a secret, and leads back to this application only', () => {
    template.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      GenerateSecret: false,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'email'],
      CallbackURLs: [{ 'Fn::Join': ['', [Match.anyValue(), '/sign-in/callback']] }],
      LogoutURLs: [{ 'Fn::Join': ['', [Match.anyValue(), '/']] }],
    });
  });

  it('takes a new address of an account only when it is verified', () => {
    template.hasResourceProperties('AWS::Cognito::UserPool', {
      UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
      AutoVerifiedAttributes: ['email'],
      UsernameConfiguration: { CaseSensitive: false },
    });
  });

  it('people sign up where the stage lets them, and may have a second factor by an authenticator app', () => {
    const secondFactor = { MfaConfiguration: 'OPTIONAL', EnabledMfas: ['SOFTWARE_TOKEN_MFA'] };
    template.hasResourceProperties('AWS::Cognito::UserPool', {
      ...secondFactor,
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: false },
    });
    prod.hasResourceProperties('AWS::Cognito::UserPool', {
      ...secondFactor,
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
    });
  });

  it('a token of the sign-in is good for five minutes, a password has twelve characters at least', () => {
    const [, client] = resources(prod, 'AWS::Cognito::UserPoolClient')[0] ?? [];
    expect(client).toMatchObject({
      IdTokenValidity: 5,
      AccessTokenValidity: 5,
      TokenValidityUnits: { IdToken: 'minutes', AccessToken: 'minutes' },
      PreventUserExistenceErrors: 'ENABLED',
    });
    const [, pool] = resources(prod, 'AWS::Cognito::UserPool')[0] ?? [];
    expect(pool).toMatchObject({
      Policies: { PasswordPolicy: { MinimumLength: 12 } },
      DeletionProtection: 'ACTIVE',
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
    });
  });

  it('is by email address alone, and by none of the flows that send a password to Cognito', () => {
    const [, pool] = resources(prod, 'AWS::Cognito::UserPool')[0] ?? [];
    expect(pool).toMatchObject({ UsernameAttributes: ['email'] });
    const [, client] = resources(prod, 'AWS::Cognito::UserPoolClient')[0] ?? [];
    expect(client?.ExplicitAuthFlows).toBeUndefined();
    expect(client).toMatchObject({ AllowedOAuthFlowsUserPoolClient: true });
  });

  it('has the newer pages of Cognito, in its own style', () => {
    prod.hasResourceProperties('AWS::Cognito::UserPoolDomain', { ManagedLoginVersion: 2 });
    const [clientId] = resources(prod, 'AWS::Cognito::UserPoolClient')[0] ?? [];
    const [poolId] = resources(prod, 'AWS::Cognito::UserPool')[0] ?? [];
    expect(resources(prod, 'AWS::Cognito::ManagedLoginBranding').map(([, properties]) => properties)).toEqual([
      { UserPoolId: { Ref: poolId }, ClientId: { Ref: clientId }, UseCognitoProvidedValues: true },
    ]);
  });

  it('is at an address of stage and account, or with the prefix that a stage sets', () => {
    const domainOf = (of: Template) => resources(of, 'AWS::Cognito::UserPoolDomain').map(([, { Domain }]) => Domain);
    expect(domainOf(prod).map(readable)).toEqual(['affiliate-program-prod-<AWS::AccountId>']);
    expect(domainOf(withSettings)).toEqual(['our-sign-in']);
  });

  it('sends emails from the address that a stage sets, by SES; else Cognito sends them', () => {
    const emailsOf = (of: Template) =>
      resources(of, 'AWS::Cognito::UserPool').map(([, { EmailConfiguration }]) => EmailConfiguration);
    expect(emailsOf(prod)).toEqual([undefined]);
    const [emails] = emailsOf(withSettings);
    expect(emails).toMatchObject({ EmailSendingAccount: 'DEVELOPER', From: 'no-reply@example.com' });
    expect(JSON.stringify(emails)).toContain(
      '{"Ref":"AWS::Region"},":",{"Ref":"AWS::AccountId"},":identity/no-reply@example.com"',
    );
  });

  it.each([
    { stage: 'local', protection: 'INACTIVE', template: () => template },
    { stage: 'prod', protection: 'ACTIVE', template: () => prod },
  ])('has accounts whose deletion protection is $protection in $stage', ({ protection, template: of }) => {
    of().hasResourceProperties('AWS::Cognito::UserPool', { DeletionProtection: protection });
  });
});
