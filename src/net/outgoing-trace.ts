import { AsyncValue } from '../kernel/async/async-value.js';

/** The `traceparent` of what runs now, for the requests that it sends to others. */
export const outgoingTrace = new AsyncValue<string>();

/** The headers by which others continue the trace; none outside of one. */
export function traceHeaders(): { readonly traceparent?: string } {
  const traceparent = outgoingTrace.get();
  return traceparent === undefined ? {} : { traceparent };
}
