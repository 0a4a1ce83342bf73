import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';

const unescaped = (html: string): string => html.replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** The seal of an application form, and the work that it asks of a browser. */
export const workFor = async (html: string): Promise<{ seal: string; proof: string }> => {
  const challenge = JSON.parse(unescaped(/data-proof="([^"]+)"/.exec(html)?.[1] ?? ''));
  const solution = await solveChallenge({ challenge, deriveKey });
  const { counter = 0, derivedKey = '' } = solution ?? {};
  return { seal: /name="seal" value="([^"]+)"/.exec(html)?.[1] ?? '', proof: JSON.stringify({ counter, derivedKey }) };
};
