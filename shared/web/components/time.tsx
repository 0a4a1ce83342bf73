import { remembered } from '../../platform/text/remembered.ts';
import { currentFormats } from './formats.ts';

const dayFormat = remembered((key) => {
  const [locale, timeZone] = key.split(' ');
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: timeZone ?? 'UTC' });
});

const timeFormat = remembered((key) => {
  const [locale, timeZone, to] = key.split(' ');
  return new Intl.DateTimeFormat(locale, {
    ...({ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const),
    ...(to === 'second' && { second: '2-digit' as const }),
    ...({ hourCycle: 'h23', timeZoneName: 'short', timeZone: timeZone ?? 'UTC' } as const),
  });
});

const isDay = (at: string): boolean => at.length === 10;

/** A day, or the day of a moment in the program's time zone, as the reader writes it, such as `Nov 22, 2026`. */
export const dayText = (at: string): string => {
  const { locale, timeZone } = currentFormats();
  return dayFormat(`${locale} ${isDay(at) ? 'UTC' : timeZone}`).format(new Date(at));
};

/** A moment in the program's time zone, as the reader writes it, such as `Nov 22, 2026, 14:05 UTC`. */
export const timeText = (at: string, to: 'minute' | 'second' = 'minute'): string => {
  const { locale, timeZone } = currentFormats();
  return timeFormat(`${locale} ${timeZone} ${to}`).format(new Date(at));
};

export const Time = ({ at, to = 'minute' }: { at: string; to?: 'day' | 'minute' | 'second' }) => (
  <time dateTime={at}>{to === 'day' ? dayText(at) : timeText(at, to)}</time>
);
