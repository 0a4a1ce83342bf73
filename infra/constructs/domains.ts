import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { type ApiGateway, LinkGateway } from './api-gateway.ts';
import { CustomDomain } from './custom-domain.ts';

/** Where the API and the web application are found. */
interface Addresses {
  readonly apiUrl: string;
  readonly appUrl: string;
  /** Where links are followed, if they have a domain of their own, and the API behind it. */
  readonly links: { readonly url: string; readonly api: LinkGateway } | undefined;
  /** Stack outputs: what the DNS record of each domain must lead to. */
  readonly dnsTargets: Readonly<Record<string, string>>;
}

/** The domains that a stage sets. Links have one of their own or none. Where it sets one for both, or only one, the API and the web application share it. */
export const addDomains = (scope: Construct, settings: Settings, api: ApiGateway): Addresses => {
  const { apiDomain, appDomain, linkDomain } = settings;
  const linkApi = linkDomain && new LinkGateway(scope, settings, api.accessLogs);
  const ofLinks = linkApi && new CustomDomain(scope, 'LinkDomain', linkDomain, linkApi);
  const ofApi = apiDomain && new CustomDomain(scope, 'ApiDomain', apiDomain, api);
  const ofApp = appDomain && appDomain.name !== apiDomain?.name && new CustomDomain(scope, 'AppDomain', appDomain, api);
  const own = ofApi || ofApp || undefined;
  return {
    apiUrl: own?.url ?? api.apiEndpoint,
    appUrl: (ofApp || own)?.url ?? api.apiEndpoint,
    links: linkApi && ofLinks && { url: ofLinks.url, api: linkApi },
    dnsTargets: {
      ...(ofApi && { ApiDomainTarget: ofApi.dnsTarget }),
      ...(ofApp && { AppDomainTarget: ofApp.dnsTarget }),
      ...(ofLinks && { LinkDomainTarget: ofLinks.dnsTarget }),
    },
  };
};
