import { handleOf } from '../../domain/programs/handles.ts';

/** Of the affiliates' portal of a program. */
export const portalPath = (program: { id: string; handle: string | null }): string => `/portal/${handleOf(program)}`;
