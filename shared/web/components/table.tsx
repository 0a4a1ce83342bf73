import type { ComponentChildren } from 'preact';

export interface Column<Item> {
  heading: string;
  isNumber?: boolean;
  /** Not shown on a phone; the page of the record shows it. */
  isForDesk?: boolean;
  /** On a line of its own on a phone, for long text without spaces. */
  isWide?: boolean;
  isAction?: boolean;
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
              {props.columns.map(({ heading, isNumber, isForDesk, isWide, isAction, cell }) => (
                <td
                  key={heading}
                  data-heading={heading}
                  class={classOf(isNumber && 'number', isForDesk && 'desk', isWide && 'wide', isAction && 'action')}
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

export const State = ({ tone, children }: { tone: 'good' | 'warn' | 'bad' | 'plain'; children: ComponentChildren }) => (
  <strong class={`state ${tone}`}>{children}</strong>
);
