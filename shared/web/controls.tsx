import type { ComponentChildren } from 'preact';
import type { Session } from './session.ts';

/** What was entered into a form that was refused, and what was wrong with it; empty for a form shown first. */
export interface Filled {
  readonly values: Readonly<Record<string, string>>;
  /** What is wrong, by field. */
  readonly errors: Readonly<Record<string, string>>;
  /** What is wrong with the whole. */
  readonly message: string | undefined;
}

export const unfilled: Filled = { values: {}, errors: {}, message: undefined };

/** The hidden field that proves that a form came from this session's own page. */
export const FormToken = ({ session }: { session: Session }) => (
  <input type="hidden" name="csrfToken" value={session.csrfToken} />
);

/** A form that posts, with its token, and what was wrong with it as a whole. */
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

/** One field with its label, a hint, and what was wrong with what was entered. */
export const Field = ({
  name,
  label,
  hint,
  initial = '',
  filled,
  ...input
}: { name: string; label: string; hint?: string; initial?: string; filled: Filled } & InputProps) => {
  const error = filled.errors[name];
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ');
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
      <input
        {...input}
        id={name}
        name={name}
        value={filled.values[name] ?? initial}
        aria-invalid={error ? 'true' : undefined}
        aria-describedby={described || undefined}
      />
    </div>
  );
};

/** A table of records; `empty` stands in its place when there are none. */
export const Table = <Item,>(props: {
  caption: string;
  columns: readonly { heading: string; cell: (item: Item) => ComponentChildren }[];
  items: readonly Item[];
  keyOf: (item: Item) => string;
  empty: string;
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
            {props.columns.map(({ heading }) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.items.map((item) => (
            <tr key={props.keyOf(item)}>
              {props.columns.map(({ heading, cell }) => (
                <td key={heading}>{cell(item)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );

/** A moment, to be read by people; times are in UTC. In a narrow column it breaks between day and time alone. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at}>
    <span class="unbroken">{at.slice(0, 10)}</span> <span class="unbroken">{`${at.slice(11, 16)} UTC`}</span>
  </time>
);
