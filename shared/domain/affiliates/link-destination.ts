import { fieldError } from '../../contract/errors.ts';
import { getProgram } from '../programs/repository.ts';

export const addressWithin = (origins: ReadonlySet<string>, text: string, base?: string): URL | undefined => {
  if (!URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb && url.username === '' && url.password === '' && origins.has(url.origin) ? url : undefined;
};

export const originsOf = (baseUrls: readonly string[]): Set<string> =>
  new Set(baseUrls.map((url) => new URL(url).origin));

/** 400 for a page that is not of the program's sites. Reads the program only where there is a page. docs/behavior.md#following-a-link */
export const refuseForeignDestination = async (
  programId: string,
  destinationUrl: string | null | undefined,
): Promise<void> => {
  if (!destinationUrl) return;
  const { baseUrls } = await getProgram(programId);
  if (!addressWithin(originsOf(baseUrls), destinationUrl))
    throw fieldError('destinationUrl', 'destinationUrl must be a page within the origins of the program’s base URLs');
};
