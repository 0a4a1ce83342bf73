import { LinkButton } from '../components/blocks.tsx';
import { type View, view } from '../responses.ts';
import type { DownloadPart } from './download-parts.ts';

const listName = (name: string): string => name.replaceAll('-', ' ');
const count = (rows: number): string => `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`;

interface Parts {
  parts: readonly (DownloadPart & { address: string })[];
  rest: string | undefined;
}

/** A button for each part of a list that is too long for one file. */
export const downloadPartsView = (name: string, listPath: string, { parts, rest }: Parts): View =>
  view(
    `Download ${listName(name)}`,
    <>
      {parts.length === 0 && <p>No rows match in this part of the list.</p>}
      <ul class="card parts">
        {parts.map(({ number, rows, address }) => (
          <li key={number}>
            <span>
              Part {number}, {count(rows)}
            </span>
            <a class="button quiet" href={address}>
              Download part {number}
            </a>
          </li>
        ))}
      </ul>
      <div class="actions">
        {rest && (
          <LinkButton to={rest} needs="VIEWER">
            Show more parts
          </LinkButton>
        )}
        <LinkButton quiet to={listPath} needs="VIEWER">
          Back to the list
        </LinkButton>
      </div>
    </>,
    {
      lead: 'This list is too long for one file. Download each part, or choose a shorter period in the list first.',
    },
  );
