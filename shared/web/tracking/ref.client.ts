import { type Affiliate, startAffiliate } from './browser.client.ts';

/** The script that a shop puts on its pages: `<script src="…/ref.js" data-program="…" async></script>`. */

declare global {
  interface Window {
    affiliate?: Affiliate;
  }
}

const tag = document.currentScript;
if (tag instanceof HTMLScriptElement) {
  const { program = '', consent, clean } = tag.dataset;
  window.affiliate = startAffiliate({
    program,
    url: tag.src,
    consent: consent === 'required' ? 'required' : undefined,
    clean: clean !== undefined,
  });
}
