import { ApiError, fieldError } from '../shared/contract/errors.ts';
import { connectPages } from '../shared/contract/pages/connect.ts';
import { connectorToken } from '../shared/domain/programs/connection.ts';
import { programs, programsOf } from '../shared/domain/programs/repository.ts';
import { SignInRequired } from '../shared/web/checks.ts';
import { chooseProgramView } from '../shared/web/pages/connect.tsx';
import { canBeRemembered } from '../shared/web/pending-sign-in.ts';
import { checkedRedirectUri, connectedAddress, expectPlatform } from '../shared/web/platforms.ts';
import { redirect } from '../shared/web/responses.ts';
import { webArea } from '../shared/web/web.ts';

export const handler = webArea(connectPages, {
  chooseProgram: async ({ session, account, parameters, query, address }) => {
    expectPlatform(parameters.platform);
    const redirectUri = checkedRedirectUri(query.redirect_uri);
    if (!canBeRemembered(address))
      throw fieldError('state', 'state and redirect_uri are too long for a sign-in to come back to them');
    if (!session || !account) throw new SignInRequired();
    const programs = await programsOf(session.email);
    return chooseProgramView({ session, address, redirectUri, programs, plan: account.plan });
  },

  connectProgram: async ({ session, parameters, query, form, now }) => {
    expectPlatform(parameters.platform);
    const redirectUri = checkedRedirectUri(query.redirect_uri);
    const program = await programs.get(form.programId, form.programId);
    if (program?.ownerEmail !== session.email) throw new ApiError('program_not_found');
    const code = await connectorToken(program.id, redirectUri.host, now);
    return redirect(connectedAddress(redirectUri, code, query.state));
  },
});
