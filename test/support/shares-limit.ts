import { AccessToken, isSharing } from '../../shared/domain/access/token.ts';

/** Once what deleted keys have used no longer counts. */
export const sharesInTheEnd = (token: Record<string, unknown> | undefined): boolean =>
  isSharing(AccessToken.parse(token), new Date(Date.now() + 100 * 365 * 86_400_000));
