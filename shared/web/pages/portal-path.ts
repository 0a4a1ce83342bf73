import { handleOf } from '../../domain/programs/handles.ts';

export const portalPath = (program: { id: string; handle: string | null }): string => `/portal/${handleOf(program)}`;
