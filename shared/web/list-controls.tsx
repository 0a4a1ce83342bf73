import { Field, Select, unfilled } from './controls.tsx';
import { type ListPart, recordsInPart } from './list-part.ts';

export const AffiliateEmailField = ({ email = '' }: { email?: string | undefined }) => (
  <Field
    name="affiliateEmail"
    label="Affiliate’s email"
    initial={email}
    filled={unfilled}
    maxLength={254}
    inputMode="email"
  />
);

const orderWords = { oldest: 'Oldest first', email: 'Email', code: 'Code', link: 'Link' } as const;
type Order = keyof typeof orderWords;

/** The orders that an index has, besides newest first. */
export const SortField = ({ orders = ['oldest'], sort }: { orders?: readonly Order[]; sort: Order | undefined }) => (
  <Select
    name="sort"
    label="Sorted by"
    options={[
      { value: '', label: 'Newest first' },
      ...orders.map((order) => ({ value: order, label: orderWords[order] })),
    ]}
    chosen={sort}
  />
);

/** Cursors lead only forward, so the way back is to the first part. `shown` tells how many records are listed. */
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
    <nav class="paging" aria-label="Parts of the list">
      {part.isFurtherOn ? (
        <a class="button quiet" href={part.newest}>
          {part.isByAge ? 'Newest' : 'First'}
        </a>
      ) : (
        <span />
      )}
      {next && shown < recordsInPart && <span>These match among {recordsInPart} records. More may follow.</span>}
      {next && (
        <a href={part.after(next)} rel="next" class="button quiet">
          {part.isByAge ? 'Older' : 'Next'}
        </a>
      )}
    </nav>
  ) : null;
