import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { ApiGateway } from '../../../infra/constructs/api-gateway.ts';
import { addDomains } from '../../../infra/constructs/domains.ts';
import type { Settings } from '../../../infra/settings.ts';
import { Settings as SettingsSchema } from '../../../infra/settings-schema.ts';
import { resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';
import { templateOfPart } from './template-of-part.ts';

const zone = { id: 'Z1', name: 'example.com' };
const api = { name: 'api.example.com', hostedZone: zone };
const app = { name: 'app.example.com', certificateArn: 'arn:aws:acm:eu-central-1:1:certificate/1' };

const variablesOf = (template: Template, name: string): Set<unknown> =>
  new Set(
    resources(template, 'AWS::Lambda::Function').flatMap(([, { Environment }]) => {
      const { Variables: variables } = (Environment ?? {}) as { Variables?: Record<string, unknown> };
      return variables?.[name] ?? [];
    }),
  );

describe('domains of the API and of the web application', () => {
  let template: Template;
  beforeAll(() => {
    template = templateOf({ ...settings.dev, apiDomain: api, appDomain: app });
  });

  it('lead to the stage of the API', () => {
    const [apiId] = resources(template, 'AWS::ApiGatewayV2::Api')[0] ?? [];
    const mappings = resources(template, 'AWS::ApiGatewayV2::ApiMapping').map(([, properties]) => properties);
    expect(mappings).toHaveLength(2);
    for (const mapping of mappings)
      expect(mapping).toMatchObject({
        ApiId: { Ref: apiId },
        Stage: '$default',
      });
    expect(resources(template, 'AWS::ApiGatewayV2::DomainName').map(([, { DomainName }]) => DomainName)).toEqual([
      api.name,
      app.name,
    ]);
  });

  it('get a certificate that DNS proves, where they bring none', () => {
    const certificates = resources(template, 'AWS::CertificateManager::Certificate');
    expect(certificates.map(([, properties]) => properties)).toEqual([
      expect.objectContaining({
        DomainName: api.name,
        ValidationMethod: 'DNS',
        DomainValidationOptions: [{ DomainName: api.name, HostedZoneId: zone.id }],
      }),
    ]);
    const [ofApi, ofApp] = resources(template, 'AWS::ApiGatewayV2::DomainName').map(([, properties]) => properties);
    const configurationOf = (domain: typeof ofApi) => JSON.stringify(domain?.DomainNameConfigurations);
    expect(configurationOf(ofApi)).toContain(certificates[0]?.[0]);
    expect(configurationOf(ofApp)).toContain(app.certificateArn);
  });

  it('get a DNS record where the zone is known', () => {
    const records = resources(template, 'AWS::Route53::RecordSet');
    const [domainId = ''] = resources(template, 'AWS::ApiGatewayV2::DomainName')[0] ?? [];
    expect(records.map(([, properties]) => properties)).toEqual([
      {
        Name: `${api.name}.`,
        Type: 'A',
        HostedZoneId: zone.id,
        AliasTarget: {
          DNSName: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] },
          HostedZoneId: { 'Fn::GetAtt': [domainId, 'RegionalHostedZoneId'] },
        },
      },
    ]);
  });

  it('are told to functions, to the sign-in and to the operator', () => {
    template.hasOutput('ApiUrl', { Value: 'https://api.example.com/api/v1' });
    template.hasOutput('AppUrl', { Value: 'https://app.example.com' });
    const targetOf = (id: string) => ({ Value: { 'Fn::GetAtt': [Match.stringLikeRegexp(id), 'RegionalDomainName'] } });
    template.hasOutput('ApiDomainTarget', targetOf('^ApiDomainName'));
    template.hasOutput('AppDomainTarget', targetOf('^AppDomainName'));
    template.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      CallbackURLs: ['https://app.example.com/sign-in/callback'],
      LogoutURLs: ['https://app.example.com/'],
    });
    expect(variablesOf(template, 'API_URL')).toEqual(new Set(['https://api.example.com']));
    expect(variablesOf(template, 'APP_URL')).toEqual(new Set(['https://app.example.com']));
  });
});

describe('a domain of links', () => {
  const link = { name: 'go.example.com', hostedZone: zone };
  let template: Template;
  beforeAll(() => {
    template = templateOf({ ...settings.dev, appDomain: app, linkDomain: link });
  });

  it('leads to an API with redirects and nothing else, with the same access log', () => {
    const [mapping] = resources(template, 'AWS::ApiGatewayV2::ApiMapping').filter(([id]) =>
      id.startsWith('LinkDomain'),
    );
    const { ApiId } = mapping?.[1] ?? {};
    const [main] = resources(template, 'AWS::ApiGatewayV2::ApiMapping').filter(([id]) => id.startsWith('AppDomain'));
    expect(main?.[1].ApiId).not.toEqual(ApiId);
    const stages = resources(template, 'AWS::ApiGatewayV2::Stage').map(([, properties]) => properties);
    expect(stages).toHaveLength(2);
    expect(stages[0]?.AccessLogSettings).toEqual(stages[1]?.AccessLogSettings);
    const routes = resources(template, 'AWS::ApiGatewayV2::Route').filter(
      ([, properties]) => JSON.stringify(properties.ApiId) === JSON.stringify(ApiId),
    );
    expect(routes.map(([, { RouteKey }]) => RouteKey).sort()).toEqual([
      'ANY /r/{handle}/{link}',
      'ANY /{handle}/{link}',
    ]);
  });

  it('is told to the functions that show links, and to the operator', () => {
    expect(variablesOf(template, 'LINK_URL')).toEqual(new Set(['https://go.example.com']));
    expect(variablesOf(template, 'APP_URL')).toEqual(new Set(['https://app.example.com']));
    template.hasOutput('LinkDomainTarget', {
      Value: { 'Fn::GetAtt': [Match.stringLikeRegexp('^LinkDomainName'), 'RegionalDomainName'] },
    });
  });

  it('is none of the others', () => {
    const given = { ...settings.dev, appDomain: app, linkDomain: { name: app.name } };
    expect(SettingsSchema.safeParse(given).error?.issues[0]?.path).toEqual(['linkDomain']);
    expect(SettingsSchema.safeParse({ ...given, linkDomain: link }).success).toBe(true);
  });
});

/** The API with the domains that a stage sets, without the functions behind it. */
const withDomains = (domains: Partial<Settings>) =>
  templateOfPart((stack) => addDomains(stack, { ...settings.dev, ...domains }, new ApiGateway(stack, settings.dev)));

describe('one domain', () => {
  let ofApp: ReturnType<typeof withDomains>;
  let ofApi: ReturnType<typeof withDomains>;
  let ofBoth: ReturnType<typeof withDomains>;
  beforeAll(() => {
    ofApp = withDomains({ appDomain: app });
    ofApi = withDomains({ apiDomain: { name: api.name } });
    ofBoth = withDomains({ apiDomain: app, appDomain: app });
  });

  it.each([
    { of: 'the web application', domain: () => ofApp, url: 'https://app.example.com', targets: ['AppDomainTarget'] },
    { of: 'the API', domain: () => ofApi, url: 'https://api.example.com', targets: ['ApiDomainTarget'] },
    { of: 'each of them', domain: () => ofBoth, url: 'https://app.example.com', targets: ['ApiDomainTarget'] },
  ])('of $of is shared by both', ({ domain, url, targets }) => {
    const { template, part } = domain();
    template.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1);
    expect({ apiUrl: part.apiUrl, appUrl: part.appUrl }).toEqual({ apiUrl: url, appUrl: url });
    expect(Object.keys(part.dnsTargets)).toEqual(targets);
  });

  it('without a zone gets no DNS record, and a certificate whose record somebody else makes', () => {
    const { template } = ofApi;
    template.resourceCountIs('AWS::Route53::RecordSet', 0);
    template.hasResourceProperties('AWS::CertificateManager::Certificate', {
      DomainName: api.name,
      ValidationMethod: 'DNS',
      DomainValidationOptions: Match.absent(),
    });
  });
});
