import { cutText } from '../../kernel/text/cut-text.js';
import { exactJson } from '../../kernel/json/exact-json.js';

/** Limits stand at the beginning of an error, or in its details. */
const MAX_SEARCHED = 20_000;
const MAX_QUOTA_NAME = 200;

/** The limit that a request has met, as the body of the error describes it. */
interface StatedLimit {
  /** The longest wait that it names. */
  readonly wait_ms?: number;
  /** The quota of a day that is used up. */
  readonly daily?: string;
}

/** @param body of the error: its JSON, or its text */
export function statedLimit(body: unknown): StatedLimit {
  const text = cutText(typeof body === 'string' ? body : exactJson(body ?? ''), MAX_SEARCHED);
  const waits = Array.from(text.matchAll(ANNOUNCEMENT), ({ index, 0: words }) =>
    durationAt(text, index + words.length),
  ).filter((wait) => wait !== undefined);
  const daily = dailyQuota(text, waits.length > 0);
  return {
    ...(waits.length > 0 && { wait_ms: Math.max(...waits) }),
    ...(daily !== undefined && { daily }),
  };
}

/** Before a duration: `Please retry in 8.2s`, `"retryDelay": "8s"`, `retry after 9 seconds`. */
const ANNOUNCEMENT =
  /\b(?:retry(?: again)?|try again) (?:in|after) |\bretry[_ -]?(?:delay|after)(?:[_ -]?seconds)?[\s"'\\:=]{1,16}/gi;
/** A part of a duration; without a unit, in seconds. */
const PART =
  /(\d{1,9}(?:\.\d{1,9})?) ?(?:(ms|millis|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)(?![a-z]))?/iy;
const MAX_PARTS = 5;
const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1_000, 60_000, 3_600_000, 86_400_000];

/** In milliseconds; undefined if there is none. */
function durationAt(text: string, start: number): number | undefined {
  let total: number | undefined;
  PART.lastIndex = start;
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const [, digits, unit] = PART.exec(text) ?? [];
    if (digits === undefined || (total !== undefined && unit === undefined)) break;
    total = (total ?? 0) + Number(digits) * unitMs(unit);
    if (unit === undefined) break;
  }
  return total;
}

function unitMs(unit = 's'): number {
  const name = unit.toLowerCase();
  if (name.startsWith('ms') || name.startsWith('milli')) return 1;
  if (name.startsWith('s')) return SECOND_MS;
  if (name.startsWith('m')) return MINUTE_MS;
  return name.startsWith('h') ? HOUR_MS : DAY_MS;
}

const DAILY = /\b(?:per[ _-]day|daily)\b/i;

/**
 * Google names its quotas (`…PerDay…`), whose waits are those of a minute. Others say so in words,
 * and their waits are true.
 */
function dailyQuota(text: string, hasWait: boolean): string | undefined {
  const name = text.split(/[^\w-]+/).find((word) => word.includes('PerDay'));
  if (name !== undefined) return cutText(name, MAX_QUOTA_NAME);
  return hasWait ? undefined : DAILY.exec(text)?.[0];
}
