/** The base path of the main API. Specification, "Versioning". */
export const apiBasePath = '/api/v1';

/** The base path of the connector for an automation platform. Specification, "Connector endpoints". */
export const connectorBasePath = (platform: string): `/${string}` => `/api/${platform}`;
