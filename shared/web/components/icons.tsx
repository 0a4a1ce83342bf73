/** Paths of 24 by 24 units, drawn with a stroke. */
const paths = {
  overview: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  affiliates:
    'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM2 21v-1a6 6 0 0 1 6-6h2a6 6 0 0 1 6 6v1M16 3.5a4 4 0 0 1 0 7M22 21v-1a6 6 0 0 0-4-5.6',
  codes: 'M3 12V4a1 1 0 0 1 1-1h8l9 9-9 9-9-9ZM8 8h.01',
  sales: 'M5 3h14v18l-3-2-2 2-2-2-2 2-2-2-3 2V3ZM9 8h6M9 12h6',
  referrals: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17',
  payouts: 'M3 7a2 2 0 0 1 2-2h13v4M3 7v11a2 2 0 0 0 2 2h15a1 1 0 0 0 1-1V9H5a2 2 0 0 1-2-2ZM16.5 14.5h.01',
  assets: 'M3 5h18v14H3zM3 16l5-5 4 4 3-3 6 6M15.5 9.5h.01',
  imports: 'M12 15V3M7 8l5-5 5 5M4 17v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-2',
  webhooks: 'M4 12a8 8 0 0 1 8-8M4 12a8 8 0 0 0 8 8M8 12a4 4 0 0 1 4-4M8 12a4 4 0 0 0 4 4M12 12h9M18 9l3 3-3 3',
  events: 'M3 12h4l3-8 4 16 3-8h4',
  audit: 'M12 8v4l3 2M3.5 9a9 9 0 1 1-.4 4M3 4v5h5',
  keys: 'M8 18a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM11.5 9.5 20 3M16 6l3 3',
  apps: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0V8ZM12 17v4',
  docs: 'M4 5a2 2 0 0 1 2-2h13v18H6a2 2 0 0 1-2-2V5ZM4 18a2 2 0 0 1 2-2h13M9 8h6',
  exports: 'M12 3v12M7 10l5 5 5-5M4 17v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-2',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM9 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  privacy: 'M12 3 4 6v6c0 4.5 3.4 8 8 9 4.6-1 8-4.5 8-9V6l-8-3ZM9 12l2 2 4-4',
  mails: 'M3 6h18v12H3zM3 7l9 7 9-7',
  menu: 'M4 6h16M4 12h16M4 18h16',
  switch: 'm8 10 4-4 4 4M8 14l4 4 4-4',
  brand: 'M12 4v16M7 8l5-4 5 4M5 20h14',
  done: 'm5 12 5 5 9-10',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
} as const;

export type IconName = keyof typeof paths;

/** Beside text that says the same: assistive technology skips it. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);

const brandSvg =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-6 -6 36 36" fill="none" stroke="#fff" stroke-width="2.5" ` +
  `stroke-linecap="round" stroke-linejoin="round"><rect x="-6" y="-6" width="36" height="36" rx="9" fill="#4f46e5" ` +
  `stroke="none"/><path d="${paths.brand}"/></svg>`;

/** The icon of the browser's tab: part of the page, so that it costs no request. */
export const favicon = `data:image/svg+xml,${encodeURIComponent(brandSvg)}`;
