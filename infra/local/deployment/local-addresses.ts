const apiAddress = /^https:\/\/[^./]+\.execute-api\.[^/]+/;
const signInAddress = /^https:\/\/[^./]+\.auth\.[^./]+\.amazoncognito\.com/;

/** Replaces the addresses of an API and of a user pool's pages on AWS by those on this machine. */
export const localAddress = (
  value: string,
  { apiUrl, signInIssuer }: { apiUrl: string; signInIssuer: string },
): string => value.replace(apiAddress, apiUrl).replace(signInAddress, signInIssuer);
