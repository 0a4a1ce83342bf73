import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { ApiGateway } from './api-gateway.ts';
import { CustomDomain } from './custom-domain.ts';

/** Where the API and the web application are found. */
interface Addresses {
  readonly apiUrl: string;
  readonly appUrl: string;
  /** Stack outputs: what the DNS record of each domain must lead to. */
  readonly dnsTargets: Readonly<Record<string, string>>;
}

/** The domains that a stage sets. Where it sets one for both, or only one, the API and the web application share it. */
export const addDomains = (scope: Construct, { apiDomain, appDomain }: Settings, api: ApiGateway): Addresses => {
  const ofApi = apiDomain && new CustomDomain(scope, 'ApiDomain', apiDomain, api);
  const ofApp = appDomain && appDomain.name !== apiDomain?.name && new CustomDomain(scope, 'AppDomain', appDomain, api);
  const own = ofApi || ofApp || undefined;
  return {
    apiUrl: own?.url ?? api.apiEndpoint,
    appUrl: (ofApp || own)?.url ?? api.apiEndpoint,
    dnsTargets: {
      ...(ofApi && { ApiDomainTarget: ofApi.dnsTarget }),
      ...(ofApp && { AppDomainTarget: ofApp.dnsTarget }),
    },
  };
};
