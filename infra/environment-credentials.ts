import { environmentCredentials } from '../shared/platform/clients/environment-credentials.ts';

/**
 * Takes the place of the SDK's credential chain in the bundles: Lambda puts credentials in the environment, and the
 * chain's other sources (files, SSO, metadata) would only make a cold start slower.
 */
export const defaultProvider = () => environmentCredentials;
