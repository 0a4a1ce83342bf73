/** See docs/behavior.md#api-version */
export const apiBasePath = '/api/v1';

export const connectorBasePath = (platform: string): `/${string}` => `/api/${platform}`;
