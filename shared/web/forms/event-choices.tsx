import { type EventType, eventTypes, eventWords } from '../../contract/event-types.ts';

const headings: Readonly<Record<string, string>> = {
  affiliate: 'Affiliates',
  group: 'Groups',
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
                {eventWords[type]}
              </p>
            </div>
          </div>
        ))}
      </section>
    ))}
  </div>
);
