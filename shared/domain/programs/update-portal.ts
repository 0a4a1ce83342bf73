import { editRecord } from '../../platform/table/edit.ts';
import { programs, type StoredProgram } from './repository.ts';

type PortalSettings = Pick<StoredProgram, 'portalIsOn' | 'logoUrl' | 'embeddingOrigins'>;

/** Where the affiliates' portal may be shown, and with which logo. 404 without the program. docs/behavior.md#the-portal */
export const updatePortal = async (programId: string, settings: PortalSettings, now: Date): Promise<void> => {
  await editRecord(programs, { programId, id: programId, noun: 'Program' }, (program) => ({
    after: { ...program, ...settings, updatedAt: now.toISOString() },
  }));
};
