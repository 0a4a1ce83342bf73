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
        <Field name="expiresAt" label="Expires" hint="At the end of that day, in UTC" filled={filled} type="date" />
        <Field
          name="maxRedemptions"
          label="Redemptions at most"
          hint="Of each code; empty: no limit"
          filled={filled}
          inputMode="numeric"
        />
        <Field
          name="codes"
          label="Codes"
          hint="One per line, at most 100. With a comma and an email, such as AMARA20, amara@example.com, a code belongs to that affiliate."
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

/** What became of each line of a bulk. */
export const bulkResultView = (programId: string, results: readonly BulkResult[]): View => {
  const failed = results.filter(({ error }) => error !== undefined);
  const created = results.length - failed.length;
  return view(
    created === 1 ? '1 code was created' : `${created} codes were created`,
    failed.length > 0 ? (
      <>
        <p class="note warn" role="alert">
          {failed.length} of {results.length} lines could not be created. The others were.
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
          To the codes
        </LinkButton>
      ),
    },
  );
};
