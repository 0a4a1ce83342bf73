import { randomUUID } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import type { Role } from '../contract/roles.ts';
import { useIncludesRole } from './role.tsx';
import type { Session } from './session.ts';

/** What was entered into a refused form, and its errors; empty for a new form. */
export interface Filled {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, string>>;
  readonly message: string | undefined;
}

export const unfilled: Filled = { values: {}, errors: {}, message: undefined };

export const FormToken = ({ session }: { session: Session }) => (
  <input type="hidden" name="csrfToken" value={session.csrfToken} />
);

/** Shown to those with the role that its action `needs`: managers, unless said otherwise. */
export const PostForm = (props: {
  session: Session;
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
  session: Session;
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

/** A control with its label, hint and error. */
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
  ...input
}: Labelled & {
  initial?: string;
  lines?: number;
  unit?: string;
  isWide?: boolean;
} & InputProps) => {
  const own = { ...input, ...describedBy({ name, label, hint, filled }), value: filled.values[name] ?? initial };
  const control = lines ? <textarea {...own} rows={lines} /> : <input {...own} />;
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

export const choicesOf = <Value extends string>(values: readonly Value[], words: Readonly<Record<Value, string>>) => [
  { value: '', label: 'Any' },
  ...values.map((value) => ({ value, label: words[value] })),
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

/** A column of a table. */
export interface Column<Item> {
  heading: string;
  isNumber?: boolean;
  /** Not shown on a phone; the page of the record shows it. */
  isForDesk?: boolean;
  /** On a line of its own on a phone, for long text without spaces. */
  isWide?: boolean;
  cell: (item: Item) => ComponentChildren;
}

const classOf = (...names: (string | false | undefined)[]): string | undefined =>
  names.filter(Boolean).join(' ') || undefined;

const Empty = ({ children }: { children: ComponentChildren }) =>
  typeof children === 'string' ? <p class="empty">{children}</p> : children;

/** In place of an empty list: what the list is for, and the button that adds a record. */
export const EmptyState = (props: { title: string; children: ComponentChildren; action?: ComponentChildren }) => (
  <div class="empty">
    <strong>{props.title}</strong>
    <p>{props.children}</p>
    {props.action}
  </div>
);

/** A table of records, or `empty` if there are none. */
export const Table = <Item,>(props: {
  caption: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
  keyOf: (item: Item) => string;
  empty: ComponentChildren;
}) =>
  props.items.length === 0 ? (
    <Empty>{props.empty}</Empty>
  ) : (
    // A wide table scrolls by itself, by keyboard too, so that the page does not.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="table" aria-label={props.caption} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {props.columns.map(({ heading, isNumber }) => (
              <th key={heading} scope="col" class={isNumber ? 'number' : undefined}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.items.map((item) => (
            <tr key={props.keyOf(item)}>
              {props.columns.map(({ heading, isNumber, isForDesk, isWide, cell }) => (
                <td
                  key={heading}
                  data-heading={heading}
                  class={classOf(isNumber && 'number', isForDesk && 'desk', isWide && 'wide')}
                >
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );

/** A badge. */
export const State = ({ tone, children }: { tone: 'good' | 'warn' | 'bad' | 'plain'; children: ComponentChildren }) => (
  <strong class={`state ${tone}`}>{children}</strong>
);
