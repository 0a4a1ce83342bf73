import { fieldError } from '../../contract/errors.ts';
import { getProgram } from '../programs/repository.ts';
import { addressWithin, originsOf } from './origins.ts';

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
