import * as z from 'zod';

export const MinorSum = z.union([z.number(), z.bigint()]);
