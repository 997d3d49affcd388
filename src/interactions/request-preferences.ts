const SSE = 'text/event-stream';
const JSON_TYPE = 'application/json';

interface Preference {
  /** Quality, 0 to 1; 0 excludes. */
  readonly q: number;
  /** 2: the type is named, 1: `type/*`, 0: any type, -1: not mentioned. */
  readonly specificity: number;
}

/**
 * True if an `Accept` header prefers JSON to an event stream. The stream is the default, also where
 * both are named with the same quality; JSON by name beats a stream by wildcard.
 */
export function prefersJson(accept = ''): boolean {
  const stream = preferenceFor(SSE, accept);
  const json = preferenceFor(JSON_TYPE, accept);
  if (json.q !== stream.q) return json.q > stream.q;
  return json.q > 0 ? json.specificity > stream.specificity : json.specificity < stream.specificity;
}

/** Preference of the most specific range that covers the type. */
function preferenceFor(type: string, accept: string): Preference {
  const ranges = ['*/*', type.replace(/\/.*/, '/*'), type];
  let best: Preference = { q: 0, specificity: -1 };
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
    const specificity = ranges.indexOf(range);
    if (specificity > best.specificity) best = { q: qualityOf(parameters), specificity };
  }
  return best;
}

function qualityOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '');
  return text !== undefined && /^(0(\.\d*)?|1(\.0*)?)$/.test(text) ? Number(text) : 1;
}

/** The longest wait for an end, in milliseconds: proxies give up soon after. */
const MAX_WAIT_MS = 60_000;

const WAIT = /^wait(?:\s*=\s*"?(\d{1,9})"?)?$/i;

/**
 * Milliseconds to wait for the end of an interaction before the answer; undefined: no wait.
 * @param wait of the query; it beats the header
 * @param prefer the `Prefer` header (RFC 7240): `wait`, or `wait=<seconds>`
 */
export function waitLimitOf(wait: unknown, prefer = ''): number | undefined {
  if (wait === 'false') return undefined;
  const [found, seconds] = findWait(prefer);
  if (wait !== 'true' && found === undefined) return undefined;
  return seconds === undefined ? MAX_WAIT_MS : Math.min(Number(seconds) * 1_000, MAX_WAIT_MS);
}

function findWait(prefer: string): readonly (string | undefined)[] {
  for (const preference of prefer.split(',')) {
    const found = WAIT.exec(preference.split(';', 1)[0]!.trim());
    if (found) return found;
  }
  return [];
}
