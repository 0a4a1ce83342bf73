import { clientSettings, type DeployedStack, type Place } from './stack.ts';

/** Signs in with a user pool's pages, as in a browser. */

const attributeOf = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';

/** A browser's cookies and redirects, as far as signing in needs them. */
const openBrowser = () => {
  const cookies = new Map<string, string>();
  const visit = async (
    address: string,
    form?: Record<string, string>,
  ): Promise<{ url: string; response: Response }> => {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
    const next = response.headers.get('location');
    return next ? visit(new URL(next, address).href) : { url: address, response };
  };
  return { visit };
};

const userPool = async (place: Place, action: string, body: object): Promise<void> => {
  const { endpoint, credentials, region } = clientSettings(place.emulator);
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'x-amz-target': `AWSCognitoIdentityProviderService.${action}`,
      'content-type': 'application/x-amz-json-1.1',
      authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20260101/${region}/cognito-idp/aws4_request`,
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${action} returned ${response.status}: ${await response.text()}`);
};

/** Creates a user, signs in and opens the page of programs. Throws if it does not open. */
export const signIn = async (place: Place, { outputs }: DeployedStack, email: string): Promise<void> => {
  const [UserPoolId, Username, password] = [outputs.UserPoolId, email, 'A password of 12 and more, 1!'];
  const UserAttributes = [
    { Name: 'email', Value: email },
    { Name: 'email_verified', Value: 'true' },
  ];
  await userPool(place, 'AdminCreateUser', { UserPoolId, Username, UserAttributes });
  await userPool(place, 'AdminSetUserPassword', { UserPoolId, Username, Password: password, Permanent: true });
  const browser = openBrowser();
  const asked = await browser.visit(`${outputs.AppUrl}/sign-in`);
  const page = await asked.response.text();
  const hidden = [
    'client_id',
    'redirect_uri',
    'scope',
    'state',
    'response_type',
    'code_challenge',
    'code_challenge_method',
    'nonce',
  ];
  const form = Object.fromEntries(hidden.map((name) => [name, attributeOf(page, name)]));
  const arrived = await browser.visit(new URL('/login', asked.url).href, { ...form, username: email, password });
  const programs = await arrived.response.text();
  if (!arrived.url.endsWith('/programs') || !programs.includes(email))
    throw new Error(`Signing in ended at ${arrived.url} with ${arrived.response.status}`);
};
