/** Calls the function once per object, which must not change. */
export function rememberPerObject<Subject extends object, Result>(
  compute: (subject: Subject) => Result,
): (subject: Subject) => Result {
  const results = new WeakMap<Subject, Result>();
  return (subject) => {
    const known = results.get(subject);
    if (known !== undefined) return known;
    const result = compute(subject);
    results.set(subject, result);
    return result;
  };
}
