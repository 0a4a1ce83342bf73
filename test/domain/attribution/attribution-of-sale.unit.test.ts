import { expect, it } from 'vitest';
import { attributionByCustomer } from '../../../shared/domain/attribution/attribution-of-sale.ts';
import { begin } from '../../../shared/platform/concurrency/begin.ts';
import { watchRejections } from '../../support/unhandled-rejections.ts';

const { expectNone } = watchRejections();

const referral = {
  affiliateId: null,
  affiliateLinkId: null,
  referringHost: null,
  email: 'priya@example.com',
  subscriptionStatus: 'ACTIVE',
};
const failing = async (): Promise<never> => {
  throw new Error('no');
};

it.each([
  ['credits the referral of the email', async () => referral, referral],
  ['fails where the read by email does', failing, undefined],
])(
  'a read by customerId beside a click that fails does no harm if nobody needs it: it %s',
  async (_, read, credited) => {
    const referrals = { get: failing, find: failing, onFound: () => undefined };
    const customer = { byEmail: begin<typeof referral | undefined>(read()), customerId: 'priya' };
    const beside = { byClick: begin(failing()), otherwise: undefined };
    const attributing = attributionByCustomer('program', customer, beside, referrals);
    if (credited) expect(await attributing).toMatchObject({ referral: credited, via: 'CUSTOMER' });
    else await expect(attributing).rejects.toThrow('no');
    await expectNone();
  },
);
