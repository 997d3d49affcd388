/** Parts of the address; null leaves one out, one that is not given stays. */
interface Change {
  readonly params?: Readonly<Record<string, string | null>>;
  /** With its `#`. */
  readonly hash?: string;
}

/** Changes the address of the page in place: the way back leads to the page before. */
export function changeAddress({ params = {}, hash = location.hash }: Change): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(params))
    if (value === null) query.delete(name);
    else query.set(name, value);
  const text = query.toString();
  const address = `${location.pathname}${text && `?${text}`}${hash}`;
  const now = `${location.pathname}${location.search}${location.hash}`;
  if (address !== now) history.replaceState(history.state, '', address);
}
