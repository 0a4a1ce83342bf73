import type { Entry } from '../components/blocks.tsx';
import { Figures } from '../components/blocks.tsx';
import type { AddedUp, ListPart } from './list-part.ts';

/** The sums of a list, or the link that adds it up. */
export const ListTotals = <Item,>(props: {
  part: ListPart;
  addedUp: AddedUp<Item> | undefined;
  entries: (items: readonly Item[]) => readonly Entry[];
}) => {
  const { part, addedUp } = props;
  if (!addedUp)
    return (
      <p>
        <a href={part.totals}>Add up the whole list</a>
      </p>
    );
  if (addedUp.items.length === 0) return null;
  return (
    <>
      <Figures entries={props.entries(addedUp.items)} />
      {!addedUp.isAll && (
        <p class="hint">
          The sums are of the first {addedUp.items.length.toLocaleString('en')} only. Choose a shorter period, or
          download the list.
        </p>
      )}
    </>
  );
};
