/** Keeps the click of an affiliate's link on a shop's own pages. No page breaks if any of it fails. docs/tracking.md */

export interface AffiliateSettings {
  program: string;
  url: string;
  consent?: 'required' | undefined;
  clean?: boolean | undefined;
}

export interface Affiliate {
  click: () => string | undefined;
  ref: () => string | undefined;
  ready: (then: (click: string | undefined) => void) => void;
  consent: () => void;
}

const cookieName = 'affiliate_click';
const clickForm = /^[\w-]{100,200}$/;
const refForm = /^[A-Za-z0-9-]{1,100}$/;
const secondsOfDay = 86_400;

const readCookie = (): string | undefined => new RegExp(`(?:^|; )${cookieName}=([^;]*)`).exec(document.cookie)?.[1];

/** On the shortest domain that the browser accepts, so that `shop.` and `www.` share it. */
const writeCookie = (value: string, days: number): void => {
  const parts = location.hostname.split('.');
  const secure = location.protocol === 'https:' ? ';secure' : '';
  for (let from = parts.length - 2; from >= -1; from--) {
    const domain = from < 0 ? '' : `;domain=${parts.slice(from).join('.')}`;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not everywhere
    document.cookie = `${cookieName}=${value}${domain};path=/;max-age=${days * secondsOfDay};samesite=lax${secure}`;
    if (readCookie() === value) return;
  }
};

const numberIn = (click: string, from: number, to: number): number =>
  [...atob(click.slice(from, to).replace(/-/g, '+').replace(/_/g, '/'))].reduce(
    (number, byte) => number * 256 + byte.charCodeAt(0),
    0,
  );

const termsOf = (click: string): { isFirst: boolean; days: number } => {
  const terms = numberIn(click, 0, 4);
  return { isFirst: terms >> 16 === 2, days: terms & 0xffff };
};

const secondsOf = (click: string): number => numberIn(click, 68, 76);

/** A page with an earlier click in its address was loaded again. A kept click of the future is forged, and must not win. */
const isBefore = (click: string, kept: string): boolean =>
  secondsOf(click) < secondsOf(kept) && secondsOf(kept) < Date.now() / 1000 + secondsOfDay;

const fillPage = (click: string): void => {
  for (const element of document.querySelectorAll('[data-affiliate]')) {
    if (element instanceof HTMLInputElement) element.value = click;
    else if (element instanceof HTMLAnchorElement) {
      const address = new URL(element.href);
      address.searchParams.set('client_reference_id', click);
      element.href = address.href;
    } else element.setAttribute('client-reference-id', click);
  }
};

const readAddress = (clean: boolean | undefined): { link: string; given: string } => {
  const query = new URLSearchParams(location.search);
  const ref = query.get('ref') ?? query.get('via') ?? '';
  const given = query.get('click') ?? '';
  if (clean && (ref || given)) {
    for (const name of ['ref', 'via', 'click']) query.delete(name);
    const rest = query.toString();
    history.replaceState(history.state, '', location.pathname + (rest && `?${rest}`) + location.hash);
  }
  return { link: refForm.test(ref) ? ref : '', given: clickForm.test(given) ? given : '' };
};

const registerClick = async ({ program, url }: AffiliateSettings, link: string): Promise<string> => {
  const response = await fetch(new URL('/track/clicks', url), {
    method: 'POST',
    body: JSON.stringify({
      programId: program,
      link,
      url: (location.origin + location.pathname).slice(0, 500),
      referrer: document.referrer.slice(0, 500),
    }),
    keepalive: true,
    credentials: 'omit',
  });
  return response.ok ? (await response.json()).clickId : '';
};

const guarded = (run: () => void) => (): void => {
  try {
    run();
  } catch {}
};

export const startAffiliate = (settings: AffiliateSettings): Affiliate => {
  let kept = '';
  let state: 'new' | 'started' | 'ready' = 'new';
  const waiting: ((click: string | undefined) => void)[] = [];
  const part = (at: 0 | 1): string | undefined => kept.split('.')[at] || undefined;
  const click = (): string | undefined => part(0);
  const fill = guarded(() => {
    const id = click();
    if (id) fillPage(id);
  });

  const keep = (id: string, link: string): void => {
    if (!clickForm.test(id)) return;
    const { isFirst, days } = termsOf(id);
    if (kept && (isFirst || isBefore(id, kept))) return;
    kept = `${id}.${link}`;
    writeCookie(kept, days);
  };

  const settle = (): void => {
    state = 'ready';
    fill();
    for (const then of waiting.splice(0)) then(click());
  };

  const start = guarded(() => {
    if (state !== 'new') return;
    state = 'started';
    const value = readCookie() ?? '';
    if (clickForm.test(value.split('.')[0] ?? '')) kept = value;
    const { link, given } = readAddress(settings.clean);
    if (given || !link) {
      keep(given, link);
      settle();
    } else
      registerClick(settings, link)
        .then((id) => keep(id, link))
        .then(settle, settle);
  });

  document.addEventListener('DOMContentLoaded', fill);
  document.addEventListener('submit', fill, true);
  document.addEventListener('click', fill, true);
  if (settings.consent !== 'required') start();
  return {
    click,
    ref: () => part(1),
    ready: (then) => {
      if (state === 'ready') then(click());
      else waiting.push(then);
    },
    consent: start,
  };
};
