// Preloaded by each function of a rehearsed stack: sends requests for a user pool to the emulator. The emulator has no TLS,
// and the OpenID Connect client refuses endpoints without it, so the discovery document says HTTPS.

const { fetch } = globalThis;
const emulator = process.env.EMULATOR_URL;
const secure = emulator.replace('http:', 'https:');
const userPools = /^https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com/;
const discovery = '/.well-known/openid-configuration';

globalThis.fetch = async (address, options) => {
  if (address instanceof Request) return fetch(address, options);
  const response = await fetch(String(address).replace(userPools, emulator).replace(secure, emulator), options);
  if (!String(address).endsWith(discovery)) return response;
  return new Response((await response.text()).replaceAll(emulator, secure), response);
};
