export const paymentMethodWords = {
  WISE: 'Wise',
  PAYPAL: 'PayPal',
  BANK: 'Bank transfer',
  CREDITS: 'Credits',
  COUPON: 'Coupon',
  OTHER: 'Other',
} as const;
