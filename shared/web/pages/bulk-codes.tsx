import type { promotionalCodePages } from '../../contract/pages/promotional-codes.ts';
import { FormCard, LinkButton } from '../components/blocks.tsx';
import { Field, type Filled, Select, unfilled } from '../components/controls.tsx';
import { Table } from '../components/table.tsx';
import { capitalized } from '../components/text.tsx';
import { type ControlsOf, FormControls } from '../forms/form-controls.tsx';
import { type View, view } from '../responses.ts';
import { codesPath } from './coupons.tsx';
import { NoCoupon, type Place } from './promotional-code.tsx';
import { type CouponChoice, couponOptions, ExpiryField } from './promotional-code-fields.tsx';

const controlsOf = (
  { coupons, chosen }: CouponChoice,
  filled: Filled,
): ControlsOf<typeof promotionalCodePages, 'addCodesInBulk'> => ({
  couponId: <Select name="couponId" label="Coupon" options={couponOptions(coupons)} chosen={chosen} filled={filled} />,
  expiresAt: <ExpiryField filled={filled} />,
  maxRedemptions: (
    <Field
      name="maxRedemptions"
      label="Maximum redemptions"
      hint="Of each code. Leave empty for no limit."
      filled={filled}
      inputMode="numeric"
    />
  ),
  codes: (
    <Field
      name="codes"
      label="Codes"
      hint="One code per line, at most 100. To give a code to an affiliate, add a comma and the affiliate’s email, such as AMARA20, amara@example.com"
      filled={filled}
      lines={10}
      required
    />
  ),
});

const BulkForm = ({
  place: { session, program },
  choice,
  filled,
}: {
  place: Place;
  choice: CouponChoice;
  filled: Filled;
}) => (
  <FormCard
    session={session}
    action={`${codesPath(program.id)}/bulk`}
    button="Create codes"
    back={codesPath(program.id)}
    filled={filled}
  >
    <FormControls controls={controlsOf(choice, filled)} filled={filled} />
  </FormCard>
);

export const bulkCodesView = (place: Place, choice: CouponChoice, filled: Filled): View =>
  view(
    'Add many codes',
    choice.coupons.length === 0 ? (
      <NoCoupon programId={place.program.id} />
    ) : (
      <BulkForm place={place} choice={choice} filled={filled} />
    ),
  );

export interface BulkResult {
  line: string;
  error: string | undefined;
}

/** The lines that failed with their reasons, in a form to send them again; `entered` are the fields as they came. */
export const bulkResultView = (
  place: Place,
  choice: CouponChoice,
  results: readonly BulkResult[],
  entered: Filled['values'],
): View => {
  const failed = results.filter(({ error }) => error !== undefined);
  const created = results.length - failed.length;
  const values = { ...entered, codes: failed.map(({ line }) => line).join('\n') };
  return view(
    created === 1 ? '1 code was created' : `${created} codes were created`,
    failed.length > 0 ? (
      <>
        <p class="note warn" role="alert">
          {failed.length} of {results.length} codes {failed.length === 1 ? 'was' : 'were'} not created. Correct the
          lines in the form below and send them again. It no longer contains the lines that succeeded.
        </p>
        <Table
          caption="Lines that failed"
          items={failed}
          keyOf={({ line }) => line}
          empty=""
          columns={[
            { heading: 'Line', cell: ({ line }) => <code>{line}</code> },
            { heading: 'Reason', isWide: true, cell: ({ error = '' }) => capitalized(error) },
          ]}
        />
        <h2>Correct and send again</h2>
        <BulkForm place={place} choice={choice} filled={{ ...unfilled, values }} />
      </>
    ) : null,
    {
      actions: (
        <LinkButton needs="VIEWER" quiet={failed.length > 0} to={codesPath(place.program.id)}>
          View codes
        </LinkButton>
      ),
    },
  );
};
