import { ApiError } from '../shared/contract/errors.ts';
import { healthOperations } from '../shared/contract/health.ts';
import { publicPath } from '../shared/http/public-path.ts';
import { checkTable } from '../shared/http/table-health.ts';
import { version } from '../shared/http/version.at-build.ts';
import { logError } from '../shared/platform/logs/log.ts';

export const handler = publicPath(healthOperations, {
  readHealth: async () => {
    try {
      await checkTable(Date.now());
    } catch (error) {
      logError('table health check failed', error);
      throw new ApiError('unavailable');
    }
    return { status: 'ok' as const, version, stage: process.env.STAGE ?? '' };
  },
});
