import { fieldError } from '../../contract/errors.ts';
import type { StoredGroup } from './rules.ts';

/** All groups of a program are read for each sale. */
const maxBytes = 16_384;

/** 400 for a group of more than 16 KB as JSON, which only many product ids make. */
export const refuseLargeGroup = (group: StoredGroup): void => {
  const bytes = Buffer.byteLength(JSON.stringify(group));
  if (bytes > maxBytes)
    throw fieldError(
      'productRules',
      `The group has ${bytes} bytes as JSON, and ${maxBytes} is the most: list fewer products`,
    );
};
