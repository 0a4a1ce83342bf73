import type { Suppression } from '../../platform/mail/addresses.ts';
import { State } from './table.tsx';

export type Suppressions = ReadonlyMap<string, Suppression>;

/** That an address gets no mails any more. Why is between its owner and the operator. docs/behavior.md#suppressed-addresses */
export const MailProblem = ({ suppression }: { suppression: Suppression | undefined }) =>
  suppression && (
    <>
      {' '}
      <State tone="bad">Mails do not reach this address</State>
    </>
  );
