import { FormCard, LinkButton } from '../blocks.tsx';
import { Field, type Filled, Select, Table } from '../controls.tsx';
import { type View, view } from '../responses.ts';
import { codesPath } from './coupons.tsx';
import { type CouponChoice, NoCoupon, optionsOf, type Place } from './promotional-code.tsx';

export const bulkCodesView = ({ session, program }: Place, { coupons, chosen }: CouponChoice, filled: Filled): View =>
  view(
    'Add many codes',
    coupons.length === 0 ? (
      <NoCoupon programId={program.id} />
    ) : (
      <FormCard
        session={session}
        action={`${codesPath(program.id)}/bulk`}
        button="Create codes"
        back={codesPath(program.id)}
        filled={filled}
      >
        <Select name="couponId" label="Coupon" options={optionsOf(coupons)} chosen={chosen} filled={filled} />
        <Field name="expiresAt" label="Expires" hint="At the end of this day (UTC)" filled={filled} type="date" />
        <Field
          name="maxRedemptions"
          label="Maximum redemptions"
          hint="Of each code. Leave empty for no limit."
          filled={filled}
          inputMode="numeric"
        />
        <Field
          name="codes"
          label="Codes"
          hint="One code per line, at most 100. To give a code to an affiliate, add a comma and the affiliate’s email, such as AMARA20, amara@example.com"
          filled={filled}
          lines={10}
          required
        />
      </FormCard>
    ),
  );

export interface BulkResult {
  line: string;
  error: string | undefined;
}

/** The result of each line. */
export const bulkResultView = (programId: string, results: readonly BulkResult[]): View => {
  const failed = results.filter(({ error }) => error !== undefined);
  const created = results.length - failed.length;
  return view(
    created === 1 ? '1 code was created' : `${created} codes were created`,
    failed.length > 0 ? (
      <>
        <p class="note warn" role="alert">
          {failed.length} of {results.length} codes were not created. The others were.
        </p>
        <Table
          caption="Lines that failed"
          items={failed}
          keyOf={({ line }) => line}
          empty=""
          columns={[
            { heading: 'Line', cell: ({ line }) => <code>{line}</code> },
            { heading: 'Reason', cell: ({ error }) => error },
          ]}
        />
      </>
    ) : null,
    {
      actions: (
        <LinkButton needs="VIEWER" to={codesPath(programId)}>
          View codes
        </LinkButton>
      ),
    },
  );
};
