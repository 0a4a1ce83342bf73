import { portalPages } from '../shared/contract/pages/portal.ts';
import { portalHandlers } from '../shared/portal/handlers.ts';
import { portalDocument } from '../shared/portal/layout.tsx';
import { webArea } from '../shared/web/web.ts';

export const handler = webArea(portalPages, portalHandlers, portalDocument);
