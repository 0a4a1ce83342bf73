import * as z from 'zod';

/** A stored sum in minor units. It may grow beyond what a number keeps exactly, and comes as a bigint then. */
export const MinorSum = z.union([z.number(), z.bigint()]);
