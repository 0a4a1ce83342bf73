import { programOperations } from '../shared/contract/program.ts';
import { getProgram } from '../shared/domain/programs/repository.ts';
import { apiPath } from '../shared/http/api.ts';

export const handler = apiPath(programOperations, {
  readProgram: ({ program }) => getProgram(program.id),
});
