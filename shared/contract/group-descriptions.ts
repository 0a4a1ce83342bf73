const productRule = {
  amount: 'What each sale of the products earns, in the currency of the program. Required with FLAT, else null.',
  productIds: 'The products that the rule is for, as the shop names them. A product is in one rule only.',
  rate: 'What a sale of the products earns, in percent from 0 to 100. Required with PERCENTAGE, else null.',
  type: 'Whether the products earn a percentage or an amount. When absent: FLAT with `amount` alone, else PERCENTAGE.',
};

const tier = {
  amount: 'What each sale earns from the minimum on, in the currency of the program. Required with FLAT, else null.',
  minimumRevenue: 'From which revenue of the affiliate on, in the currency of the program. This or `minimumSales`.',
  minimumSales: 'From how many sales of the affiliate on. This or `minimumRevenue`.',
  period: 'What counts: everything, or the month of the sale in the time zone of the program.',
  rate: 'What a sale earns from the minimum on, in percent from 0 to 100. Required with PERCENTAGE, else null.',
  type: 'Whether the tier earns a percentage or an amount. When absent: FLAT with `amount` alone, else PERCENTAGE.',
};

/** Of groups and their rules. */
export const groupDescriptions = {
  Group: {
    commissionAmount: 'What each sale earns, in the currency of the program. Required with FLAT, else null.',
    commissionMonths: 'For how many months from the first sale of a customer on sales earn; for ever when null.',
    commissionRate: 'What a sale earns, in percent from 0 to 100. Required with PERCENTAGE, else null.',
    commissionType: 'Whether a sale earns a percentage or an amount, where no rule says something else.',
    deletedGroup: 'The group that was deleted.',
    groupId: 'The id of the group that is meant.',
    holdDays: 'How many days after a sale its commission can be paid.',
    id: 'The id of the group.',
    isDefault: 'Whether it is the default group, in which affiliates are unless they are put into another one.',
    message: 'What was done.',
    minimumPayout: 'The smallest payout to an affiliate of the group; null for none.',
    moveTo: 'The id of the group that the affiliates move to.',
    name: 'The name of the group.',
    productRules: 'What sales of some products earn, at most 50 rules.',
    programId: 'The program that the group is in.',
    tiers: 'What affiliates earn from a revenue or a number of sales on, at most 10.',
  },
  CommissionRule: {
    amount: 'What the sale earns before refunds, in the currency of the program; null with PERCENTAGE.',
    groupId: 'The group that the affiliate was in.',
    rate: 'What the sale earns, in percent from 0 to 100; null with FLAT.',
    source: 'What decided: the sale, the affiliate, a product, a tier, the group, or the program.',
    type: 'Whether the sale earns a percentage or an amount.',
  },
  ProductRule: productRule,
  SentProductRule: productRule,
  Tier: tier,
  SentTier: tier,
} as const;
