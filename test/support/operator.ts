type Environment = Readonly<Record<string, string | undefined>>;

/** Makes one of the requests that the local stack's database endpoint has for its operator; returns the JSON text. */
export const askStack = async (environment: Environment, action: string, body: object): Promise<string> => {
  const response = await fetch(environment.AWS_ENDPOINT_URL_DYNAMODB ?? '', {
    method: 'POST',
    headers: {
      'x-amz-target': `LocalStack.${action}`,
      authorization: `AWS4-HMAC-SHA256 Credential=${environment.AWS_ACCESS_KEY_ID}/x`,
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${action} returned ${response.status}`);
  return response.text();
};
