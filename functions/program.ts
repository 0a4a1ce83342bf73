import { readProgram } from '../shared/contract/program.ts';
import { getProgram } from '../shared/domain/programs/repository.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';

export const handler = apiPath(serve(readProgram, ({ program }) => getProgram(program.id)));
