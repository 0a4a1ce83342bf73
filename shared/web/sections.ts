export const sections: readonly { readonly label: string; readonly path: string }[] = [
  { label: 'Overview', path: '' },
  { label: 'Affiliates', path: '/affiliates' },
  { label: 'Codes', path: '/promotional-codes' },
  { label: 'Sales', path: '/sales' },
  { label: 'Payouts', path: '/payout-batches' },
  { label: 'Webhooks', path: '/webhooks' },
  { label: 'Connected apps', path: '/settings/connected-apps' },
  { label: 'Settings', path: '/settings' },
  { label: 'API keys', path: '/settings/advanced/api-keys' },
];
