import type { ComponentChildren } from 'preact';
import type { ListPart } from './list-part.ts';
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

export const PostForm = (props: { session: Session; action: string; filled?: Filled; children: ComponentChildren }) => (
  <form method="post" action={props.action}>
    <FormToken session={props.session} />
    {props.filled?.message && (
      <p class="problem" role="alert">
        {props.filled.message}
      </p>
    )}
    {props.children}
  </form>
);

interface InputProps {
  required?: boolean;
  maxLength?: number;
  inputMode?: 'decimal' | 'url' | 'email';
}

export const Field = ({
  name,
  label,
  hint,
  initial = '',
  filled,
  lines,
  ...input
}: { name: string; label: string; hint?: string; initial?: string; filled: Filled; lines?: number } & InputProps) => {
  const error = filled.errors[name];
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ');
  const value = filled.values[name] ?? initial;
  const own = {
    ...input,
    id: name,
    name,
    'aria-invalid': error ? ('true' as const) : undefined,
    'aria-describedby': described || undefined,
  };
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="problem" id={`${name}-error`}>
          {error}
        </p>
      )}
      {lines ? <textarea {...own} rows={lines} value={value} /> : <input {...own} value={value} />}
    </div>
  );
};

export const TickBox = ({ name, label, checked }: { name: string; label: string; checked: boolean }) => (
  <div class="choice">
    <input type="checkbox" id={name} name={name} checked={checked} />
    <label for={name}>{label}</label>
  </div>
);

export const Select = (props: {
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
  chosen: string | undefined;
}) => (
  <div class="field">
    <label for={props.name}>{props.label}</label>
    <select id={props.name} name={props.name}>
      {props.options.map(({ value, label }) => (
        <option key={value} value={value} selected={value === props.chosen}>
          {label}
        </option>
      ))}
    </select>
  </div>
);

export const choicesOf = <Value extends string>(values: readonly Value[], words: Readonly<Record<Value, string>>) => [
  { value: '', label: 'Any' },
  ...values.map((value) => ({ value, label: words[value] })),
];

export const FilterForm = ({ action, children }: { action: string; children: ComponentChildren }) => (
  <form class="filter" method="get" action={action}>
    {children}
    <button class="quiet" type="submit">
      Show
    </button>
  </form>
);

/** Cursors lead only forward, so the way back is to the newest. */
export const Paging = ({ part, next }: { part: ListPart; next: string | undefined }) =>
  part.isFurtherOn || next ? (
    <nav class="paging" aria-label="Parts of the list">
      {part.isFurtherOn && <a href={part.newest}>Newest</a>}
      {next && (
        <a href={part.after(next)} rel="next">
          Older
        </a>
      )}
    </nav>
  ) : null;

export const Text = ({ label, children }: { label: string; children: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
  <section class="text" aria-label={label} tabIndex={0}>
    <pre>{children}</pre>
  </section>
);

/** A column of a table. */
export interface Column<Item> {
  heading: string;
  isNumber?: boolean;
  cell: (item: Item) => ComponentChildren;
}

/** A table of records; `empty` stands in its place when there are none. */
export const Table = <Item,>(props: {
  caption: string;
  /** Those of numbers stand below each other by their last digits. */
  columns: readonly Column<Item>[];
  items: readonly Item[];
  keyOf: (item: Item) => string;
  empty: ComponentChildren;
}) =>
  props.items.length === 0 ? (
    <p class="empty">{props.empty}</p>
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
              {props.columns.map(({ heading, isNumber, cell }) => (
                <td key={heading} data-heading={heading} class={isNumber ? 'number' : undefined}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );

export const Time = ({ at, to = 'minute' }: { at: string; to?: 'day' | 'minute' | 'second' }) => {
  const day = at.slice(0, 10);
  return <time dateTime={at}>{to === 'day' ? day : `${day} ${at.slice(11, to === 'minute' ? 16 : 19)} UTC`}</time>;
};

export const State = ({ tone, children }: { tone: 'good' | 'bad' | 'plain'; children: ComponentChildren }) => (
  <strong class={`state ${tone}`}>{children}</strong>
);
