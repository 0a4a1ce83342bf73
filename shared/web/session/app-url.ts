/** From the deployment, never from a request's Host header. */
export const appUrl = (): URL => {
  const value = process.env.APP_URL;
  if (!value) throw new Error('The environment variable APP_URL is not set');
  return new URL(value);
};

/** Throws for a path that leads to another host. */
export const addressOf = (path: string): URL => {
  const address = new URL(path, appUrl());
  if (address.origin !== appUrl().origin) throw new Error('The path leads to another host');
  return address;
};
