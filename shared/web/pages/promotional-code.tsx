import type { StoredCoupon } from '../../domain/coupons/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { PromotionalCodeResponse } from '../../domain/promotional-codes/responses.ts';
import type { StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { decimalText } from '../../platform/money/money.ts';
import { EditAndDelete, Facts, FormCard, LinkButton } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, MoreFields, Select, TickBox, unfilled } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { dayOf } from '../components/days.ts';
import { currentFormats } from '../components/formats.ts';
import { moneyText } from '../components/money.tsx';
import { EmptyState } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { type AffiliateChoice, AffiliateField } from '../forms/affiliate-choice.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { affiliatePath } from './affiliates.tsx';
import { codesPath, couponPath, couponsPath, discountOf, usesOf } from './coupons.tsx';
import { CodeState, codePath } from './promotional-codes.tsx';
import { NewestSales } from './sales.tsx';

const conditionsOf = (code: StoredPromotionalCode): string => {
  const { minimumAmountMinor: minimum, minimumAmountCurrency: unit, customerId } = code;
  return [
    code.firstTimeOrder && 'Only a customer’s first order',
    minimum !== null && unit !== null && `Minimum amount ${moneyText(minimum, unit)}`,
    code.limitToCustomers && customerId && `Customer ${customerId}`,
    code.limitToAffiliate && 'Only the affiliate’s own purchases',
  ]
    .filter(Boolean)
    .join(', ');
};

/** One code, and the newest sales that it brought. */
export const promotionalCodeView = (
  program: StoredProgram,
  stored: StoredPromotionalCode,
  code: PromotionalCodeResponse,
  sales: readonly StoredSale[],
  now: Date,
): View => {
  const { id: programId } = program;
  const path = codePath(programId, code.id);
  const { affiliate, coupon } = code;
  return view(
    code.code,
    <>
      <Facts
        entries={[
          ['Code', <Copyable key="code" text={code.code} label="the code" />],
          [
            'Coupon',
            <a key="coupon" href={couponPath(programId, coupon.id)}>
              {coupon.name}
            </a>,
          ],
          ['Affiliate', affiliate ? <a href={affiliatePath(programId, affiliate.id)}>{affiliate.email}</a> : 'None'],
          ['Redeemed', usesOf(stored)],
          ['Expires', code.expiresAt ? <Time at={code.expiresAt} /> : 'Never'],
          ['Conditions', conditionsOf(stored)],
          ['External ID', code.externalId],
          ['ID', <Copyable key="id" text={code.id} label="the ID" />],
          ['Created', <Time key="created" at={code.createdAt} />],
        ]}
      />
      <NewestSales program={program} sales={sales} empty="No sales with this code yet." />
    </>,
    {
      beside: <CodeState code={code} now={now} />,
      actions: <EditAndDelete path={path} />,
    },
  );
};

export interface Place {
  session: Session;
  program: StoredProgram;
}

export const optionsOf = (coupons: readonly StoredCoupon[]) =>
  coupons.map((coupon) => ({ value: coupon.id, label: `${coupon.name} (${discountOf(coupon)})` }));

export const NoCoupon = ({ programId }: { programId: string }) => (
  <EmptyState
    title="First create a coupon"
    action={<LinkButton to={`${couponsPath(programId)}/new`}>New coupon</LinkButton>}
  >
    Every code belongs to a coupon, which defines the discount.
  </EmptyState>
);

const isTicked = (filled: Filled, name: string, initial: boolean): boolean =>
  filled === unfilled ? initial : name in filled.values;

const TermFields = ({
  program,
  code,
  filled,
}: {
  program: StoredProgram;
  code?: StoredPromotionalCode;
  filled: Filled;
}) => {
  const unit = code?.minimumAmountCurrency ?? program.currency;
  const minimum = code?.minimumAmountMinor;
  return (
    <>
      <Field
        name="expiresAt"
        label="Expires"
        hint={`At the end of this day (${currentFormats().timeZone})`}
        initial={code?.expiresAt ? dayOf(code.expiresAt) : ''}
        filled={filled}
        type="date"
      />
      <Field
        name="maxRedemptions"
        label="Maximum redemptions"
        hint="Leave empty for no limit"
        initial={String(code?.maxRedemptions ?? '')}
        filled={filled}
        inputMode="numeric"
      />
      <Field
        name="minimumAmount"
        label="Minimum amount"
        initial={minimum == null ? '' : decimalText(minimum, unit)}
        filled={filled}
        inputMode="decimal"
        unit={unit}
      />
    </>
  );
};

const ConditionFields = ({ code, filled }: { code?: StoredPromotionalCode; filled: Filled }) => (
  <>
    <Field
      name="customerId"
      label="Only for this customer"
      hint="Your own ID for the customer"
      initial={code?.customerId ?? ''}
      filled={filled}
      maxLength={255}
    />
    <Field
      name="externalId"
      label="External ID"
      hint="Your own ID for this code"
      initial={code?.externalId ?? ''}
      filled={filled}
      maxLength={255}
    />
    <div>
      <TickBox
        name="firstTimeOrder"
        label="Only for a customer’s first order"
        checked={isTicked(filled, 'firstTimeOrder', code?.firstTimeOrder ?? false)}
      />
      <TickBox
        name="limitToAffiliate"
        label="Only for the affiliate’s own purchases"
        checked={isTicked(filled, 'limitToAffiliate', code?.limitToAffiliate ?? false)}
      />
    </div>
  </>
);

const conditionNames = ['customerId', 'externalId', 'firstTimeOrder', 'limitToAffiliate'] as const;

const hasConditions = (code: StoredPromotionalCode): boolean => conditionNames.some((name) => code[name]);

export interface CouponChoice {
  coupons: readonly StoredCoupon[];
  chosen: string | undefined;
}

export const newCodeView = (
  { session, program }: Place,
  { coupons, chosen }: CouponChoice,
  affiliate: AffiliateChoice,
  filled: Filled,
): View =>
  view(
    'New code',
    coupons.length === 0 ? (
      <NoCoupon programId={program.id} />
    ) : (
      <FormCard
        session={session}
        action={`${codesPath(program.id)}/new`}
        button="Create code"
        back={codesPath(program.id)}
        filled={filled}
      >
        <Select name="couponId" label="Coupon" options={optionsOf(coupons)} chosen={chosen} filled={filled} />
        <Field
          name="code"
          label="Code"
          hint="Leave empty to make one from the affiliate’s name and the discount"
          filled={filled}
          maxLength={100}
        />
        <AffiliateField
          programId={program.id}
          hint="Who earns the commission: any part of the name, or the email. Leave empty for nobody."
          choice={affiliate}
          filled={filled}
        />
        <TermFields program={program} filled={filled} />
        <MoreFields names={conditionNames} filled={filled}>
          <ConditionFields filled={filled} />
        </MoreFields>
      </FormCard>
    ),
  );

export const codeEditView = ({ session, program }: Place, code: StoredPromotionalCode, filled: Filled): View => {
  const path = codePath(program.id, code.id);
  return view(
    `Edit ${code.code}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <Field name="code" label="Code" initial={code.code} filled={filled} required maxLength={100} />
      <TermFields program={program} code={code} filled={filled} />
      <MoreFields names={conditionNames} filled={filled} isOpen={hasConditions(code)}>
        <ConditionFields code={code} filled={filled} />
      </MoreFields>
      <TickBox name="active" label="Can be redeemed" checked={isTicked(filled, 'active', code.active)} />
    </FormCard>,
    { trail: [{ label: code.code, path }] },
  );
};

export const codeDeletionView = (session: Session, programId: string, code: StoredPromotionalCode): View => {
  const path = codePath(programId, code.id);
  return view(
    `Delete ${code.code}?`,
    <Confirmation session={session} action={`${path}/delete`} button="Delete code" back={path}>
      <p>
        The code can no longer be redeemed, and this cannot be undone. Its sales stay. To keep the code, edit it instead
        and untick “Can be redeemed”.
      </p>
    </Confirmation>,
    { trail: [{ label: code.code, path }] },
  );
};
