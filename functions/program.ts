import { readProgram } from '../shared/contract/program.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';
import { getProgram } from '../shared/programs/repository.ts';

export const handler = apiPath(serve(readProgram, ({ program }) => getProgram(program.id)));
