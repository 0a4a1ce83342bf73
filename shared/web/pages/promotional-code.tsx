import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { PromotionalCodeResponse } from '../../domain/promotional-codes/responses.ts';
import type { StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import type { StoredSale } from '../../domain/sales/rules.ts';
import { EditAndDelete, Facts, FormCard, LinkButton } from '../components/blocks.tsx';
import { Confirmation, type Filled } from '../components/controls.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { EmptyState } from '../components/table.tsx';
import type { AffiliateChoice } from '../forms/affiliate-choice.tsx';
import { FormControls } from '../forms/form-controls.tsx';
import { detailEntries } from '../lists/record-fields.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { codesPath, couponsPath } from './coupons.tsx';
import {
  type CouponChoice,
  codeControls,
  codeDetails,
  hasConditions,
  newCodeControls,
} from './promotional-code-fields.tsx';
import { CodeState, codePath } from './promotional-codes.tsx';
import { NewestSales } from './sales.tsx';

export const promotionalCodeView = (
  program: StoredProgram,
  stored: StoredPromotionalCode,
  code: PromotionalCodeResponse,
  sales: readonly StoredSale[],
  now: Date,
): View => {
  const { id: programId } = program;
  const path = codePath(programId, code.id);
  return view(
    code.code,
    <>
      <Facts entries={detailEntries(codeDetails(programId, stored, code))} />
      <NewestSales program={program} sales={sales} empty="No sales with this code yet." />
    </>,
    {
      beside: <CodeState code={code} now={now} />,
      actions: (
        <>
          <HistoryLink programId={programId} recordId={code.id} />
          <EditAndDelete path={path} />
        </>
      ),
    },
  );
};

export interface Place {
  session: Session;
  program: StoredProgram;
}

export const NoCoupon = ({ programId }: { programId: string }) => (
  <EmptyState
    title="First create a coupon"
    action={<LinkButton to={`${couponsPath(programId)}/new`}>New coupon</LinkButton>}
  >
    Every code belongs to a coupon, which defines the discount.
  </EmptyState>
);

export const newCodeView = (
  { session, program }: Place,
  coupon: CouponChoice,
  affiliate: AffiliateChoice,
  filled: Filled,
): View =>
  view(
    'New code',
    coupon.coupons.length === 0 ? (
      <NoCoupon programId={program.id} />
    ) : (
      <FormCard
        session={session}
        action={`${codesPath(program.id)}/new`}
        button="Create code"
        back={codesPath(program.id)}
        filled={filled}
      >
        <FormControls controls={newCodeControls(program, coupon, affiliate, filled)} filled={filled} />
      </FormCard>
    ),
  );

export const codeEditView = ({ session, program }: Place, code: StoredPromotionalCode, filled: Filled): View => {
  const path = codePath(program.id, code.id);
  return view(
    `Edit ${code.code}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <FormControls controls={codeControls(program, code, filled)} filled={filled} isOpen={hasConditions(code)} />
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
