import * as z from 'zod';
import { propertiesOf, resourcesOf, type Scope } from '../template/template.ts';
import type { SignInClient } from './settings.ts';

const clientProperties = z.object({
  CallbackURLs: z.array(z.string()).default([]),
  LogoutURLs: z.array(z.string()).default([]),
});

/** Puts the local provider in the place of the template's user pools. Returns the applications that they know. */
export function deployUserPools(scope: Scope, issuer: string): SignInClient[] {
  for (const { logicalId } of resourcesOf(scope, 'AWS::Cognito::UserPool')) {
    scope.resources.set(logicalId, { reference: logicalId, attributes: { ProviderURL: issuer } });
  }
  for (const { logicalId } of resourcesOf(scope, 'AWS::Cognito::UserPoolDomain')) {
    scope.resources.set(logicalId, { reference: logicalId, attributes: {} });
  }
  return resourcesOf(scope, 'AWS::Cognito::UserPoolClient').map(({ logicalId, resource }) => {
    scope.resources.set(logicalId, { reference: logicalId, attributes: {} });
    const { CallbackURLs, LogoutURLs } = propertiesOf(clientProperties, resource, scope);
    return { clientId: logicalId, callbackUrls: CallbackURLs, logoutUrls: LogoutURLs };
  });
}
