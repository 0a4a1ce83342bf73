import { statisticOperations } from '../shared/contract/statistics.ts';
import { readStatistics } from '../shared/domain/statistics/read-statistics.ts';
import { apiPath } from '../shared/http/api.ts';

export const handler = apiPath(statisticOperations, {
  readStatistics: ({ program, query }) => readStatistics(program, query),
});
