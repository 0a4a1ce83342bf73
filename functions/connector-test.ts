import { testConnection } from '../shared/contract/connector-connection.ts';
import { getProgram } from '../shared/domain/programs/repository.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';

export const handler = apiPath(
  serve(testConnection, async ({ program }) => {
    const { id, name, currency } = await getProgram(program.id);
    return { program_name: name, program_id: id, currency };
  }),
);
