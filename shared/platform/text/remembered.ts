const maxRemembered = 200;

/** Making a formatter takes longer than using it a hundred times. */
export const remembered = <Value>(make: (key: string) => Value): ((key: string) => Value) => {
  const known = new Map<string, Value>();
  return (key) => {
    const earlier = known.get(key);
    if (earlier !== undefined) return earlier;
    const value = make(key);
    if (known.size >= maxRemembered) known.clear();
    known.set(key, value);
    return value;
  };
};
