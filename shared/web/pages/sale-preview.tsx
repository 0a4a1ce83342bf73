import type { salePages } from '../../contract/pages/sales.ts';
import { fullName, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import type { Earning } from '../../domain/commissions/earning.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { Facts, Figures } from '../components/blocks.tsx';
import { Field, type Filled, PostForm } from '../components/controls.tsx';
import { Money } from '../components/money.tsx';
import { Time } from '../components/time.tsx';
import { type AffiliateChoice, AffiliateField, withAffiliateEmail } from '../forms/affiliate-choice.tsx';
import { type ControlsOf, FormControls } from '../forms/form-controls.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { affiliatePath } from './affiliates.tsx';
import { commissionTerms, reasonEntries } from './commission-rule.tsx';
import { salesPath } from './sales.tsx';

const salePreviewPath = (programId: string): string => `${salesPath(programId)}/preview`;

const controlsOf = (
  program: StoredProgram,
  choice: AffiliateChoice,
  filled: Filled,
): ControlsOf<typeof salePages, 'previewSale'> => ({
  affiliateEmail: (
    <AffiliateField programId={program.id} hint="Any part of the name, or the email" choice={choice} filled={filled} />
  ),
  chosenAffiliate: withAffiliateEmail,
  totalEarned: (
    <Field name="totalEarned" label="Amount" filled={filled} required inputMode="decimal" unit={program.currency} />
  ),
  productId: (
    <Field
      name="productId"
      label="Product ID"
      hint="Counts where the group has a rule for the product"
      filled={filled}
      maxLength={255}
    />
  ),
  email: (
    <Field
      name="email"
      label="Customer’s email"
      hint="Counts where the group pays for a limited number of months"
      filled={filled}
      maxLength={254}
      inputMode="email"
    />
  ),
});

export interface PreviewedSale {
  earning: Earning;
  affiliate: StoredAffiliate;
  groupName: string | undefined;
}

const Preview = ({ program, previewed }: { program: StoredProgram; previewed: PreviewedSale }) => {
  const { earning, affiliate, groupName } = previewed;
  const { id: programId, currency } = program;
  return (
    <>
      <Figures
        entries={[
          [
            'Commission',
            <Money key="commission" minor={earning.commissionEarnedMinor} currency={currency} />,
            commissionTerms(earning, currency),
          ],
        ]}
      />
      <Facts
        entries={[
          ['Affiliate', <a href={affiliatePath(programId, affiliate.id)}>{fullName(affiliate)}</a>],
          ...reasonEntries(program, earning.commissionRule, groupName),
          ['Commission payable from', <Time key="payable" at={earning.payableAt} />],
        ]}
      />
    </>
  );
};

export const salePreviewView = (
  { session, program }: { session: Session; program: StoredProgram },
  choice: AffiliateChoice,
  filled: Filled,
  previewed?: PreviewedSale,
): View =>
  view(
    'What would this sale earn?',
    <>
      {previewed && <Preview program={program} previewed={previewed} />}
      <div class="card form">
        <PostForm session={session} action={salePreviewPath(program.id)} needs="VIEWER" filled={filled}>
          <div class="fields">
            <FormControls controls={controlsOf(program, choice, filled)} filled={filled} />
          </div>
          <p class="hint">Nothing is recorded.</p>
          <div class="form-actions">
            <button type="submit">Show commission</button>
            <a href={salesPath(program.id)}>Back to sales</a>
          </div>
        </PostForm>
      </div>
    </>,
  );
