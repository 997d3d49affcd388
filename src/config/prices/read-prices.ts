import { readFileSync, statSync } from 'node:fs';
import type { z } from 'zod';
import { decodeText } from '../../kernel/text/decode-text.js';
import type { ModelPrices } from '../../protocol/budget.js';
import type { ConfigFault } from '../config-error.js';
import { prices } from '../settings.js';

const VARIABLE = 'PRICES_FILE';
const MAX_BYTES = 1024 * 1024;
/** Maximum number of faults of a file in the error. */
const MAX_FAULTS = 20;

interface ReadPrices {
  readonly prices: ModelPrices;
  readonly faults: readonly ConfigFault[];
}

/**
 * The prices in a JSON file that has the shape of `MODEL_PRICES`, with its faults by entry; none
 * without a path.
 */
export function readPrices(path: string | undefined): ReadPrices {
  if (path === undefined) return { prices: {}, faults: [] };
  const { json, fault } = readJson(path);
  const { data = {}, error } = prices.safeParse(json);
  const problems =
    fault === undefined ? (error?.issues ?? []).slice(0, MAX_FAULTS).map(describe) : [fault];
  const faults = problems.map((problem) => ({
    variable: VARIABLE,
    problem: `${path}: ${problem}`,
  }));
  return { prices: data, faults };
}

function describe({ path, message }: z.core.$ZodIssue): string {
  return [...path.map((part) => JSON.stringify(part)), message].join(': ');
}

function readJson(path: string): { readonly json?: unknown; readonly fault?: string } {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { fault: 'is not a regular file' };
    if (stats.size > MAX_BYTES) return { fault: `has more than ${MAX_BYTES} bytes` };
    return { json: JSON.parse(decodeText(readFileSync(path))) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) return { fault: 'is not valid JSON' };
    return { fault: code === 'ENOENT' ? 'there is no such file' : `can't be read (${code})` };
  }
}
