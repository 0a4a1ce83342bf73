import { randomUUID } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import type { Role } from '../../contract/roles.ts';
import type { Session } from '../session/session.ts';
import { useIncludesRole } from './role.tsx';

/** What was entered into a refused form, and its errors; empty for a new form. */
export interface Filled {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, string>>;
  readonly message: string | undefined;
}

export const unfilled: Filled = { values: {}, errors: {}, message: undefined };

export type FormSession = Pick<Session, 'csrfToken'>;

export const FormToken = ({ session }: { session: FormSession }) => (
  <input type="hidden" name="csrfToken" value={session.csrfToken} />
);

/** Shown to those with the role that its action `needs`: managers, unless said otherwise. */
export const PostForm = (props: {
  session: FormSession;
  action: string;
  needs?: Role | undefined;
  filled?: Filled;
  children: ComponentChildren;
}) =>
  useIncludesRole(props.needs ?? 'MANAGER') ? (
    <form class="form" method="post" action={props.action}>
      <FormToken session={props.session} />
      <input type="hidden" name="formKey" value={randomUUID()} />
      {props.filled?.message && (
        <p class="problem" role="alert">
          {props.filled.message}
        </p>
      )}
      {props.children}
    </form>
  ) : null;

/** Asks before an action; `back` is where Cancel leads. */
export const Confirmation = (props: {
  session: FormSession;
  action: string;
  button: string;
  back: string;
  needs?: Role;
  isHarmless?: boolean;
  filled?: Filled;
  children: ComponentChildren;
}) => (
  <div class="card form">
    <PostForm session={props.session} action={props.action} needs={props.needs} filled={props.filled ?? unfilled}>
      {props.children}
      <div class="form-actions">
        <button class={props.isHarmless ? undefined : 'danger'} type="submit">
          {props.button}
        </button>
        <a href={props.back}>Cancel</a>
      </div>
    </PostForm>
  </div>
);

interface InputProps {
  required?: boolean;
  maxLength?: number;
  type?: 'date' | 'datetime-local' | 'color';
  inputMode?: 'decimal' | 'numeric' | 'url' | 'email';
  placeholder?: string;
}

interface Labelled {
  name: string;
  label: string;
  hint?: ComponentChildren;
  filled: Filled;
}

const describedBy = ({ name, hint, filled: { errors } }: Labelled) => ({
  id: name,
  name,
  'aria-invalid': errors[name] ? ('true' as const) : undefined,
  'aria-describedby': [hint && `${name}-hint`, errors[name] && `${name}-error`].filter(Boolean).join(' ') || undefined,
});

const LabelledControl = ({
  name,
  label,
  hint,
  filled,
  isWide,
  children,
}: Labelled & { isWide?: boolean; children: ComponentChildren }) => (
  <div class={isWide ? 'field wide' : 'field'}>
    <label for={name}>{label}</label>
    {children}
    {hint && (
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    )}
    {filled.errors[name] && (
      <p class="problem" id={`${name}-error`}>
        {filled.errors[name]}
      </p>
    )}
  </div>
);

export const Field = ({
  name,
  label,
  hint,
  initial = '',
  filled,
  lines,
  unit,
  isWide,
  suggestions,
  ...input
}: Labelled & {
  initial?: string;
  lines?: number;
  unit?: string;
  isWide?: boolean;
  /** The address of suggestions, which the script lists while one types. */
  suggestions?: string;
} & InputProps) => {
  const own = { ...input, ...describedBy({ name, label, hint, filled }), value: filled.values[name] ?? initial };
  const listed = suggestions && { autocomplete: 'off', 'data-suggestions': suggestions };
  const control = lines ? <textarea {...own} rows={lines} /> : <input {...own} {...listed} />;
  return (
    <LabelledControl name={name} label={label} hint={hint} filled={filled} isWide={isWide ?? lines !== undefined}>
      {unit ? (
        <div class="unit">
          {control}
          <span>{unit}</span>
        </div>
      ) : (
        control
      )}
    </LabelledControl>
  );
};

/** Fields that are rarely used. Open where one of them has a value or an error. */
export const MoreFields = (props: {
  names: readonly string[];
  filled: Filled;
  isOpen?: boolean;
  children: ComponentChildren;
}) => {
  const { values, errors } = props.filled;
  const isOpen = props.isOpen || props.names.some((name) => values[name] || errors[name]);
  return (
    <details class="more wide" open={isOpen}>
      <summary>More options</summary>
      <div class="fields">{props.children}</div>
    </details>
  );
};

export const TickBox = ({ name, label, checked }: { name: string; label: string; checked: boolean }) => (
  <div class="choice">
    <input type="checkbox" id={name} name={name} checked={checked} />
    <label for={name}>{label}</label>
  </div>
);

export const Select = ({
  name,
  label,
  hint,
  filled = unfilled,
  options,
  chosen,
}: Omit<Labelled, 'filled'> & {
  filled?: Filled;
  options: readonly { value: string; label: string }[];
  chosen: string | undefined;
}) => (
  <LabelledControl name={name} label={label} hint={hint} filled={filled}>
    <select {...describedBy({ name, label, hint, filled })}>
      {options.map((option) => (
        <option key={option.value} value={option.value} selected={option.value === (filled.values[name] ?? chosen)}>
          {option.label}
        </option>
      ))}
    </select>
  </LabelledControl>
);

export const optionsOf = <Value extends string>(values: readonly Value[], words: Readonly<Record<Value, string>>) =>
  values.map((value) => ({ value, label: words[value] }));

export const choicesOf = <Value extends string>(values: readonly Value[], words: Readonly<Record<Value, string>>) => [
  { value: '', label: 'Any' },
  ...optionsOf(values, words),
];

/** Filters of a list, kept in its address; `csv` downloads what they find. */
export const FilterForm = (props: { action: string; csv?: string; children: ComponentChildren }) => (
  <form class="filter" method="get" action={props.action}>
    {props.children}
    <div class="actions">
      <button class="quiet" type="submit">
        Filter
      </button>
      {props.csv && (
        <a class="button quiet" href={props.csv}>
          Download CSV
        </a>
      )}
    </div>
  </form>
);

/** Folded away, unless one of these values is set, so that a list begins on the first screen of a phone. */
export const MoreFilters = (props: { used: readonly unknown[]; children: ComponentChildren }) => (
  <details class="more-filters" open={props.used.some(Boolean)}>
    <summary>More filters</summary>
    <div class="filter">{props.children}</div>
  </details>
);

export const PeriodFields = ({
  from = '',
  to = '',
  filled = unfilled,
}: {
  from?: string | undefined;
  to?: string | undefined;
  filled?: Filled;
}) => (
  <>
    <Field name="from" label="From" initial={from} filled={filled} type="date" />
    <Field name="to" label="To" initial={to} filled={filled} type="date" />
  </>
);
