// Loaded first by each function of a rehearsed stack: a user pool is at the emulator, whatever AWS calls its address. The
// emulator speaks HTTP, and a client of OpenID Connect refuses endpoints without TLS: it is told HTTPS.

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
