import { connectionTestOperations } from '../shared/contract/connector-connection.ts';
import { getProgram } from '../shared/domain/programs/repository.ts';
import { apiPath } from '../shared/http/api.ts';

export const handler = apiPath(connectionTestOperations, {
  testConnection: async ({ program }) => {
    const { id, name, currency } = await getProgram(program.id);
    return { program_name: name, program_id: id, currency };
  },
});
