import { programOperations } from '../shared/contract/program.ts';
import { handleOf } from '../shared/domain/programs/handles.ts';
import { getProgram } from '../shared/domain/programs/repository.ts';
import { reviewRulesOf } from '../shared/domain/programs/review-rules.ts';
import { apiPath } from '../shared/http/api.ts';

export const handler = apiPath(programOperations, {
  readProgram: async ({ program }) => {
    const stored = await getProgram(program.id);
    return { ...stored, handle: handleOf(stored), reviewRules: reviewRulesOf(stored) };
  },
});
