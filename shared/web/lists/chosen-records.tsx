import type { ComponentChildren } from 'preact';
import { FormToken } from '../components/controls.tsx';
import { useCanEdit } from '../components/role.tsx';
import type { Session } from '../session/session.ts';

/** The tick box of one record, within `ChosenRecords`. */
export const Choice = ({ id, children }: { id: string; children: ComponentChildren }) =>
  useCanEdit() ? (
    <>
      <input type="checkbox" id={id} name={id} />
      <label for={id} class="unseen">
        Select {children}
      </label>
    </>
  ) : null;

/** The form around a list of `records`, such as `sales`, with the buttons for those that are chosen. */
export const ChosenRecords = (props: {
  session: Session;
  action: string;
  records: string;
  isEmpty: boolean;
  buttons: ComponentChildren;
  children: ComponentChildren;
}) =>
  useCanEdit() ? (
    <form method="post" action={props.action}>
      <FormToken session={props.session} />
      {props.children}
      {!props.isEmpty && (
        <div class="bulk-bar">
          <span class="hint">Selected {props.records}:</span>
          {props.buttons}
        </div>
      )}
    </form>
  ) : (
    <div>{props.children}</div>
  );
