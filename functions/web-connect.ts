import { ApiError } from '../shared/contract/errors.ts';
import { chooseProgram, connectProgram } from '../shared/contract/pages/connect.ts';
import { connectorToken } from '../shared/programs/connection.ts';
import { programs, programsOf } from '../shared/programs/repository.ts';
import { redirect } from '../shared/web/answers.ts';
import { chooseProgramView } from '../shared/web/pages/connect.tsx';
import { checkedRedirectUri, connectedAddress, expectPlatform } from '../shared/web/platforms.ts';
import { act, SignInRequired, show, webArea } from '../shared/web/web-area.ts';

export const handler = webArea(
  show(chooseProgram, async ({ session, parameters, query }) => {
    expectPlatform(parameters.platform);
    const redirectUri = checkedRedirectUri(query.redirect_uri);
    if (!session) throw new SignInRequired();
    const path = `/connect/${parameters.platform}/choose-affiliate-program`;
    const authorization = { redirectUri, state: query.state };
    return chooseProgramView({ session, path }, authorization, await programsOf(session.email));
  }),

  act(connectProgram, async ({ session, parameters, form, now }) => {
    expectPlatform(parameters.platform);
    const redirectUri = checkedRedirectUri(form.redirect_uri);
    const program = await programs.get(form.programId, form.programId);
    if (program?.ownerEmail !== session.email) throw new ApiError('program_not_found');
    const code = await connectorToken(program.id, redirectUri.host, now);
    return redirect(connectedAddress(redirectUri, code, form.state));
  }),
);
