import { canonicalEmail } from '../../contract/email.ts';
import { fieldError } from '../../contract/errors.ts';
import { affiliates } from '../../domain/affiliates/repository.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { searchAffiliates } from '../../domain/affiliates/search.ts';
import { AffiliateState } from '../components/affiliate-state.tsx';
import { Field, type Filled } from '../components/controls.tsx';
import { EmptyState, Table } from '../components/table.tsx';
import { type Redirect, redirect, type View, view } from '../responses.ts';
import { elsewhere } from './form-controls.tsx';

/** In a form or a filter, people name an affiliate by any words of name or email, and choose where several match. */

const maxFound = 8;

/** Two round trips. docs/behavior.md#search */
export const matchingAffiliates = async (programId: string, words: string): Promise<readonly StoredAffiliate[]> => {
  const all = () => true;
  return (await searchAffiliates(programId, words, { limit: maxFound, isOneRead: true }, all)).items;
};

const isEmail = (text: string): boolean => canonicalEmail(text) !== undefined;

interface Named {
  affiliateEmail?: string | null | undefined;
  chosenAffiliate?: string | null | undefined;
}

/** The affiliate that a form names; 400 unless the words match exactly one. docs/behavior.md#affiliates-in-forms */
export const namedAffiliate = async (
  programId: string,
  { affiliateEmail, chosenAffiliate }: Named,
): Promise<StoredAffiliate | undefined> => {
  const words = chosenAffiliate ?? affiliateEmail;
  if (words == null) return undefined;
  const refuse = (message: string) => fieldError('affiliateEmail', message);
  if (isEmail(words)) {
    const found = await affiliates.find(programId, 'EMAIL', canonicalEmail(words) ?? words);
    if (!found) throw refuse('Affiliate not found');
    return found;
  }
  const [found, ...others] = await matchingAffiliates(programId, words);
  if (!found) throw refuse('No affiliate matches. Enter the beginning of a name, or an email.');
  if (others.length > 0) throw refuse('Several affiliates match. Choose one, or enter more of the name.');
  return found;
};

/** Those that match what a refused form named. */
export const choicesFor = async (programId: string, { values, errors }: Filled): Promise<AffiliateChoice> => {
  const words = values.affiliateEmail ?? '';
  return errors.affiliateEmail && words && !isEmail(words) ? { found: await matchingAffiliates(programId, words) } : {};
};

/** What the field of a form begins with, or what was found for it. */
export interface AffiliateChoice {
  initial?: string | undefined;
  found?: readonly StoredAffiliate[];
}

const suggestionsPath = (programId: string): string => `/programs/${programId}/affiliates/suggestions`;

/** The field `chosenAffiliate` of a form with an `AffiliateField`. */
export const withAffiliateEmail = elsewhere('The control of affiliateEmail shows it where several match');

/** With the script, the control suggests affiliates while one types. */
export const AffiliateField = (props: {
  programId: string;
  label?: string;
  hint?: string;
  filled: Filled;
  choice?: AffiliateChoice;
}) => (
  <>
    <Field
      name="affiliateEmail"
      label={props.label ?? 'Affiliate'}
      hint={props.hint}
      initial={props.choice?.initial ?? ''}
      filled={props.filled}
      maxLength={254}
      suggestions={suggestionsPath(props.programId)}
    />
    {props.choice?.found && props.choice.found.length > 0 && (
      <fieldset class="wide">
        <legend>Which affiliate?</legend>
        {props.choice.found.map((affiliate) => (
          <div key={affiliate.id} class="choice">
            <input type="radio" id={`choice-${affiliate.id}`} name="chosenAffiliate" value={affiliate.email} />
            <label for={`choice-${affiliate.id}`}>
              {fullName(affiliate)} <span class="hint">{affiliate.email}</span>{' '}
              {affiliate.status !== 'ACTIVE' && <AffiliateState status={affiliate.status} />}
            </label>
          </div>
        ))}
      </fieldset>
    )}
  </>
);

const whichAffiliateView = (words: string, found: readonly StoredAffiliate[], addressOf: (email: string) => string) =>
  view(
    found.length > 0 ? 'Which affiliate?' : 'No affiliate matches',
    <Table
      caption="Affiliates"
      items={found}
      keyOf={({ id }) => id}
      empty={
        <EmptyState
          title={`Nobody’s name or email begins with “${words}”`}
          action={<a href={addressOf('')}>Back to the list</a>}
        >
          Enter the beginning of any word of the name or email.
        </EmptyState>
      }
      columns={[
        {
          heading: 'Affiliate',
          cell: (affiliate) => (
            <>
              <a class="row-link" href={addressOf(affiliate.email)}>
                {fullName(affiliate)}
              </a>
              <div class="hint">{affiliate.email}</div>
            </>
          ),
        },
        { heading: 'Status', cell: ({ status }) => <AffiliateState status={status} /> },
      ]}
    />,
    found.length > 0 ? { lead: `“${words}” matches several. Choose one to filter the list.` } : {},
  );

/** In place of a list that is filtered by words: leads to the list with the email, or asks which affiliate is meant. */
export const askWhichAffiliate = async (
  programId: string,
  words: string | undefined,
  address: string,
): Promise<View | Redirect | undefined> => {
  if (!words || isEmail(words)) return undefined;
  const [path = '', query = ''] = address.split('?');
  const addressOf = (email: string): string => {
    const parameters = new URLSearchParams(query);
    parameters.delete('cursor');
    parameters.set('affiliateEmail', email);
    return `${path}?${parameters}`;
  };
  const found = await matchingAffiliates(programId, words);
  return found.length === 1 && found[0]
    ? redirect(addressOf(found[0].email))
    : whichAffiliateView(words, found, addressOf);
};
