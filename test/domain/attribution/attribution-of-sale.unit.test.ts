import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { attributionByCustomer } from '../../../shared/domain/attribution/attribution-of-sale.ts';
import { begin } from '../../../shared/platform/concurrency/begin.ts';

const unhandled = vi.fn();
beforeEach(() => {
  unhandled.mockReset();
  process.on('unhandledRejection', unhandled);
});
afterEach(() => {
  process.off('unhandledRejection', unhandled);
});

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
    await turn();
    await turn();
    expect(unhandled).not.toHaveBeenCalled();
  },
);
