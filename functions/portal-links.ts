import { portalLinkOperations } from '../shared/contract/portal-links.ts';
import { createPortalLink } from '../shared/domain/portal/sign-in-link.ts';
import { apiPath } from '../shared/http/api.ts';
import { addressOf } from '../shared/web/session/app-url.ts';

export const handler = apiPath(portalLinkOperations, {
  createPortalLink: async ({ program, body, now }) => {
    const { path, expiresAt } = await createPortalLink(program.id, body.affiliateId, now);
    return { url: addressOf(path).href, expiresAt };
  },
});
