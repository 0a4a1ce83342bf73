/** A name in the form of a logical id: `fan-out-events` is `FanOutEvents`. */
export const pascalCase = (name: string): string =>
  name
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
