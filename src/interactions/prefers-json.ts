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

/** Of the most specific range that covers the type. */
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
