import type { Plan } from '../../domain/programs/accounts.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { FormToken } from '../components/controls.tsx';
import { PlanNote } from '../components/plan.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';

export const chooseProgramView = (props: {
  session: Session;
  address: string;
  redirectUri: URL;
  programs: readonly StoredProgram[];
  plan: Plan;
}): View => {
  const { session, address, redirectUri, programs, plan } = props;
  const { host } = redirectUri;
  const programChoice = (
    <form class="form" method="post" action={address}>
      <FormToken session={session} />
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
      <p class="note warn">
        <strong>{host}</strong> asks for access to one of your programs. It will be able to read and change everything
        in that program until you disconnect it. Continue only if you started this at {host}.
      </p>
      <PlanNote plan={plan} />
      {plan !== 'FREE' && programs.length > 0 && programChoice}
      {plan !== 'FREE' && programs.length === 0 && (
        <p>
          You do not own a program yet, and only the owner’s account can connect one.{' '}
          <a href="/programs/new">Create a program</a>, then connect again.
        </p>
      )}
    </>,
    // Browsers count the redirect after a form as its target.
    { formTargets: [redirectUri.origin] },
  );
};
