import type { StoredProgram } from '../../programs/repository.ts';
import { type View, view } from '../answers.ts';
import { FormToken } from '../controls.tsx';
import type { Session } from '../session.ts';

/** What the platform asked with: where to go back to, and its opaque state. */
interface Authorization {
  redirectUri: URL;
  state: string;
}

/**
 * Where the form may lead: a platform's address is https, and may itself lead on to another one, which browsers count as
 * a target of the form too.
 */
const formTargets = ({ redirectUri }: Authorization): string[] => [
  'https:',
  ...(redirectUri.protocol === 'https:' ? [] : [redirectUri.origin]),
];

/** Asks which program a platform may use. Specification, "Connector flow", step 2. */
export const chooseProgramView = (
  { session, path }: { session: Session; path: string },
  authorization: Authorization,
  programs: readonly StoredProgram[],
): View => {
  const { host } = authorization.redirectUri;
  const programChoice = (
    <form method="post" action={path}>
      <FormToken session={session} />
      <input type="hidden" name="redirect_uri" value={authorization.redirectUri.href} />
      <input type="hidden" name="state" value={authorization.state} />
      <fieldset>
        <legend>Program</legend>
        {programs.map(({ id, name }, at) => (
          <label key={id} class="choice">
            <input type="radio" name="programId" value={id} required checked={programs.length === 1 && at === 0} />
            {name}
          </label>
        ))}
      </fieldset>
      <button type="submit">Connect to {host}</button>
    </form>
  );
  return view(
    'Choose an affiliate program',
    <>
      <p>
        <strong>{host}</strong> asks for access to one of your programs. It will be able to read and change everything
        in it, until you disconnect it. Go on only if you began this at {host}.
      </p>
      {programs.length > 0 ? (
        programChoice
      ) : (
        <p>
          There is no program on this account yet. <a href="/programs/new">Create one</a>, then connect again.
        </p>
      )}
    </>,
    { formTargets: formTargets(authorization) },
  );
};
