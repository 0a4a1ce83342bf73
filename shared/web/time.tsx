const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** A day or a time in UTC as people read it, such as `Nov 22, 2026`. */
export const dayText = (at: string): string => dayFormat.format(new Date(at));

export const Time = ({ at, to = 'minute' }: { at: string; to?: 'day' | 'minute' | 'second' }) => {
  const day = dayText(at);
  return <time dateTime={at}>{to === 'day' ? day : `${day}, ${at.slice(11, to === 'minute' ? 16 : 19)} UTC`}</time>;
};
