/**
 * How long a vendor asks to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date.
 * `now` is the wall clock in milliseconds. Undefined when it doesn't say, or nothing readable.
 */
export function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const exact = numberOf(headers?.get('retry-after-ms'));
  if (exact !== undefined) return Math.max(0, exact);
  const text = headers?.get('retry-after');
  const seconds = numberOf(text);
  if (seconds !== undefined) return Math.max(0, seconds * 1000);
  const date = Date.parse(text ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function numberOf(text: string | null | undefined): number | undefined {
  if (!text?.trim()) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}
