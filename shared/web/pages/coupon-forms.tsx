import type { StoredCoupon } from '../../domain/coupons/rules.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { FormCard } from '../components/blocks.tsx';
import { Confirmation, type Filled } from '../components/controls.tsx';
import { FormControls } from '../forms/form-controls.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { couponControls, newCouponControls } from './coupon-fields.tsx';
import { couponPath, couponsPath } from './coupons.tsx';

interface Place {
  session: Session;
  program: StoredProgram;
}

export const newCouponView = ({ session, program }: Place, filled: Filled): View => {
  return view(
    'New coupon',
    <FormCard
      session={session}
      action={`${couponsPath(program.id)}/new`}
      button="Create coupon"
      back={couponsPath(program.id)}
      filled={filled}
    >
      <FormControls controls={newCouponControls(program, filled)} filled={filled} />
    </FormCard>,
    { trail: [{ label: 'Coupons', path: couponsPath(program.id) }] },
  );
};

export const couponEditView = ({ session, program }: Place, coupon: StoredCoupon, filled: Filled): View => {
  const path = couponPath(program.id, coupon.id);
  return view(
    `Edit ${coupon.name}`,
    <FormCard session={session} action={`${path}/edit`} button="Save" back={path} filled={filled}>
      <FormControls
        controls={couponControls(program, coupon, filled)}
        filled={filled}
        isOpen={coupon.limitToProducts}
      />
    </FormCard>,
    { trail: [{ label: coupon.name, path }] },
  );
};

export const couponDeletionView = (session: Session, programId: string, coupon: StoredCoupon): View => {
  const path = couponPath(programId, coupon.id);
  return view(
    `Delete ${coupon.name}?`,
    <Confirmation session={session} action={`${path}/delete`} button="Delete coupon" back={path}>
      <p>
        This also deletes all its codes, and cannot be undone. Sales stay. To keep the codes, edit the coupon instead
        and untick “Its codes can be redeemed”.
      </p>
    </Confirmation>,
    { trail: [{ label: coupon.name, path }] },
  );
};
