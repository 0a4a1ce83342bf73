import { type EventType, eventTypes } from '../../contract/event-types.ts';

const descriptions: Readonly<Record<EventType, string>> = {
  'affiliate.created': 'An affiliate joined the program',
  'affiliate.updated': 'An affiliate was edited, approved or banned',
  'affiliate.deleted': 'An affiliate was deleted',
  'link.created': 'A link was added for an affiliate',
  'link.updated': 'A link was renamed',
  'link.deleted': 'A link was deleted',
  'coupon.created': 'A coupon was created',
  'coupon.updated': 'A coupon was edited or deactivated',
  'coupon.deleted': 'A coupon was deleted',
  'promotional_code.created': 'A code was created, manually or automatically',
  'promotional_code.updated': 'A code was edited or deactivated',
  'promotional_code.deleted': 'A code was deleted',
  'promotional_code.redeemed': 'A code was used for a sale or a referral',
  'referral.created': 'A person was referred through a link or a code',
  'referral.updated': 'A referral was edited',
  'referral.deleted': 'A referral was deleted',
  'sale.created': 'A sale was recorded',
  'sale.updated': 'A sale was edited, or its commission changed',
  'sale.deleted': 'A sale was deleted',
  'sale.refunded': 'A sale was refunded, in part or in whole',
  'payout_batch.created': 'A payout batch was created',
  'payout_batch.updated': 'The name or status of a payout batch changed',
  'payout_batch.deleted': 'A payout batch was deleted',
  'payout_batch.ready': 'A payout batch is ready to pay',
  'payout_batch.paid': 'A payout batch was marked as paid',
  'webhook.test': 'A test event, sent even if it is not selected',
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
