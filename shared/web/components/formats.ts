import { AsyncLocalStorage } from 'node:async_hooks';

/** How a page shows times and amounts. Locales are a fixed list, so that a header makes no formatter of its own. */
export interface Formats {
  readonly locale: string;
  /** Of the program, as an IANA name. docs/behavior.md#time-zone-of-a-program */
  readonly timeZone: string;
}

/** The standard one first. All write numbers with the digits 0 to 9. */
const locales = [
  'en-US',
  'en-GB',
  'en-CA',
  'en-AU',
  'en-NZ',
  'en-IE',
  'en-IN',
  'en-ZA',
  'de-DE',
  'de-AT',
  'de-CH',
  'fr-FR',
  'fr-CA',
  'fr-CH',
  'es-ES',
  'es-MX',
  'it-IT',
  'nl-NL',
  'pt-BR',
  'pt-PT',
  'da-DK',
  'sv-SE',
  'nb-NO',
  'fi-FI',
  'pl-PL',
  'cs-CZ',
  'hu-HU',
  'ro-RO',
  'tr-TR',
  'el-GR',
  'ja-JP',
  'ko-KR',
  'zh-CN',
] as const;

const standard: Formats = { locale: locales[0], timeZone: 'UTC' };
const maxHeader = 200;

const languageOf = (locale: string): string => locale.split('-')[0] ?? '';

/** The first language of the header for which there is a locale; the header lists the preferred one first. */
export const localeOf = (acceptLanguage = ''): string => {
  for (const part of acceptLanguage.slice(0, maxHeader).toLowerCase().split(',')) {
    const tag = (part.split(';')[0] ?? '').trim();
    const found =
      locales.find((locale) => locale.toLowerCase() === tag) ??
      locales.find((locale) => languageOf(locale) === languageOf(tag));
    if (found) return found;
  }
  return standard.locale;
};

const formats = new AsyncLocalStorage<Formats>();

/** `show` and what it calls format for this reader. */
export const withFormats = <Result>(chosen: Formats, show: () => Result): Result => formats.run(chosen, show);

export const currentFormats = (): Formats => formats.getStore() ?? standard;
