import type { Reveals } from '../../domain/programs/reveals.ts';
import { Time } from '../components/time.tsx';

export const SeenBy = ({ seenBy }: { seenBy: Reveals }) =>
  seenBy.length === 0 ? (
    <>Nobody yet</>
  ) : (
    <ul class="plain">
      {seenBy.map(({ email, at }) => (
        <li key={email}>
          <span class="email">{email}</span> (<Time at={at} to="day" />)
        </li>
      ))}
    </ul>
  );
