import { type EventType, eventTypes } from '../contract/event-types.ts';

const descriptions: Readonly<Record<EventType, string>> = {
  'affiliate.created': 'An affiliate joined the program',
  'affiliate.updated': 'An affiliate was edited, approved or banned',
  'affiliate.deleted': 'An affiliate was deleted',
  'link.created': 'An affiliate got a link',
  'link.updated': 'A link was renamed',
  'link.deleted': 'A link was deleted',
  'coupon.created': 'A coupon was created',
  'coupon.updated': 'A coupon was edited or switched off',
  'coupon.deleted': 'A coupon was deleted',
  'promotional_code.created': 'A code was created, by hand or automatically',
  'promotional_code.updated': 'A code was edited or deactivated',
  'promotional_code.deleted': 'A code was deleted',
  'promotional_code.redeemed': 'A sale or a referral came by a code',
  'referral.created': 'A customer signed up by a link or a code',
  'referral.updated': 'A referral was edited',
  'referral.deleted': 'A referral was deleted',
  'sale.created': 'A sale was recorded',
  'sale.updated': 'A sale was edited, or its commission changed',
  'sale.deleted': 'A sale was deleted',
  'sale.refunded': 'A sale was refunded, in part or in whole',
  'payout_batch.created': 'A payout batch was created',
  'payout_batch.updated': 'A payout batch changed its name or its state',
  'payout_batch.deleted': 'A payout batch was deleted',
  'payout_batch.ready': 'A payout batch can be paid',
  'payout_batch.paid': 'A payout batch was marked as paid',
  'webhook.test': 'A test; sent whatever is chosen here',
};

const headings: Readonly<Record<string, string>> = {
  affiliate: 'Affiliates',
  link: 'Links',
  coupon: 'Coupons',
  promotional_code: 'Promotional codes',
  referral: 'Referrals',
  sale: 'Sales',
  payout_batch: 'Payout batches',
  webhook: 'Tests',
};

const groups = [...Map.groupBy(eventTypes, (type) => headings[type.split('.')[0] ?? ''] ?? 'Others')];

/** A tick box for each type of event, by what the events are about. */
export const EventChoices = ({ isTicked }: { isTicked: (type: EventType) => boolean }) => (
  <div class="event-choices">
    {groups.map(([heading, types]) => (
      <section key={heading} aria-label={heading}>
        <h2>{heading}</h2>
        {types.map((type) => (
          <div key={type} class="choice">
            <input type="checkbox" id={type} name={type} checked={isTicked(type)} aria-describedby={`${type}-hint`} />
            <div>
              <label for={type}>{type}</label>
              <p class="hint" id={`${type}-hint`}>
                {descriptions[type]}
              </p>
            </div>
          </div>
        ))}
      </section>
    ))}
  </div>
);
