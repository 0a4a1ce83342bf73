import { Select } from '../components/controls.tsx';
import { type ListPart, recordsInPart } from './list-part.ts';

const orderWords = { oldest: 'Oldest first', email: 'Email', code: 'Code', link: 'Link' } as const;
type Order = keyof typeof orderWords;

/** The orders that an index has, besides newest first. What a search finds comes in the order of its own index. */
export const SortField = (props: { orders?: readonly Order[]; sort: Order | undefined; hasSearch?: boolean }) => (
  <Select
    name="sort"
    label="Sort by"
    hint={props.hasSearch && 'Not used while searching'}
    options={[
      { value: '', label: 'Newest first' },
      ...(props.orders ?? ['oldest' as const]).map((order) => ({ value: order, label: orderWords[order] })),
    ]}
    chosen={props.sort}
  />
);

/** In place of a list of `records`, such as `sales`, of which the filters have left nothing on this page. */
export const noMatches = (records: string, next: string | undefined): string =>
  next ? 'No matches in this part of the list.' : `No ${records} match these filters.`;

/** Cursors lead only forward, so the way back is to the first page. `shown` tells how many records are listed. */
export const Paging = ({
  part,
  next,
  shown = recordsInPart,
}: {
  part: ListPart;
  next: string | undefined;
  shown?: number;
}) =>
  part.isFurtherOn || next ? (
    <nav class="paging" aria-label="Pages of the list">
      {part.isFurtherOn ? (
        <a class="button quiet" href={part.first}>
          First page
        </a>
      ) : (
        <span />
      )}
      {next && shown < recordsInPart && (
        <span>
          {shown || 'None'} of these {recordsInPart} records match. The next page may have more.
        </span>
      )}
      {next && (
        <a href={part.after(next)} rel="next" class="button quiet">
          Next page
        </a>
      )}
    </nav>
  ) : null;
