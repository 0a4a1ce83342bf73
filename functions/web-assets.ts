import { assetPages } from '../shared/contract/pages/assets.ts';
import { assetHandlers } from '../shared/web/records/assets.ts';
import { webArea } from '../shared/web/web.ts';

export const handler = webArea(assetPages, assetHandlers);
