export const paymentMethods = ['WISE', 'PAYPAL', 'BANK', 'CREDITS', 'COUPON', 'OTHER'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

export const paymentMethodWords: Readonly<Record<PaymentMethod, string>> = {
  WISE: 'Wise',
  PAYPAL: 'PayPal',
  BANK: 'Bank transfer',
  CREDITS: 'Credits',
  COUPON: 'Coupon',
  OTHER: 'Other',
};
