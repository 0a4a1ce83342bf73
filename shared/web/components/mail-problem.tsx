import type { Suppression } from '../../platform/mail/addresses.ts';
import { State } from './table.tsx';

export type Suppressions = ReadonlyMap<string, Suppression>;

const words: Readonly<Record<Suppression['reason'], string>> = {
  BOUNCE: 'Mails to this address bounce',
  COMPLAINT: 'Reported mails as spam',
};

/** That an address gets no mails any more, and why. docs/behavior.md#suppressed-addresses */
export const MailProblem = ({ suppression }: { suppression: Suppression | undefined }) =>
  suppression && (
    <>
      {' '}
      <State tone="bad">{words[suppression.reason]}</State>
    </>
  );
