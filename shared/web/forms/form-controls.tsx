import type { ComponentChild } from 'preact';
import type * as z from 'zod';
import { type Filled, MoreFields } from '../components/controls.tsx';

/** A control that is folded away with others. */
interface Rare {
  readonly rare: ComponentChild;
}

/** A field that another field's control enters too, or that a page decides by itself. */
interface Elsewhere {
  readonly elsewhere: string;
}

export const rare = (control: ComponentChild): Rare => ({ rare: control });
export const elsewhere = (reason: string): Elsewhere => ({ elsewhere: reason });

type Control = ComponentChild | Rare | Elsewhere;

type FormOf<Pages extends readonly { id: string; form?: unknown }[], Id extends string> = Extract<
  Pages[number],
  { id: Id }
>['form'];

/** A control for every field of a page's form, in this order: a new field does not compile without one. */
export type ControlsOf<Pages extends readonly { id: string; form?: unknown }[], Id extends Pages[number]['id']> =
  FormOf<Pages, Id> extends infer Form extends z.ZodObject
    ? { readonly [Name in keyof Form['shape'] & string]-?: Control }
    : never;

const isObject = (
  control: Control,
): control is Exclude<Control, null | undefined | string | number | bigint | boolean> =>
  typeof control === 'object' && control !== null;
const isRare = (control: Control): control is Rare => isObject(control) && 'rare' in control;
const isElsewhere = (control: Control): control is Elsewhere => isObject(control) && 'elsewhere' in control;

/** The controls of a form; `isOpen` shows those that are rarely used. */
export const FormControls = ({
  controls,
  filled,
  isOpen = false,
}: {
  controls: Readonly<Record<string, Control>>;
  filled: Filled;
  isOpen?: boolean;
}) => {
  const folded = Object.entries(controls).flatMap(([name, control]) =>
    isRare(control) ? [{ name, control: control.rare }] : [],
  );
  return (
    <>
      {Object.values(controls).map((control) => (isRare(control) || isElsewhere(control) ? null : control))}
      {folded.length > 0 && (
        <MoreFields names={folded.map(({ name }) => name)} filled={filled} isOpen={isOpen}>
          {folded.map(({ control }) => control)}
        </MoreFields>
      )}
    </>
  );
};
