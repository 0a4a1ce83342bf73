import type { ProgramFile } from '../../platform/objects/files.ts';

/** The file that everybody may read: it has the id of its asset. */
export const imageFile = (programId: string, id: string): ProgramFile => ({ kind: 'asset-images', programId, id });

/** A file that was uploaded, of which nothing is known yet. It expires. */
export const uploadedFile = (programId: string, id: string): ProgramFile => ({ kind: 'asset-uploads', programId, id });
