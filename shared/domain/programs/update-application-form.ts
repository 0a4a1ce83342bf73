import { editRecord } from '../../platform/table/edit.ts';
import { type ApplicationFormEdit, editedForm, noForm } from './application-form.ts';
import { programs } from './repository.ts';

/** 404 without the program. docs/behavior.md#applications */
export const updateApplicationForm = async (programId: string, edit: ApplicationFormEdit, now: Date): Promise<void> => {
  await editRecord(programs, { programId, id: programId, noun: 'Program' }, (program) => {
    const applicationForm = editedForm(program.applicationForm ?? noForm, edit, now);
    return { after: { ...program, applicationForm, updatedAt: now.toISOString() } };
  });
};
