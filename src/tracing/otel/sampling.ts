import type { Config } from '../../config/config.js';
import type { TraceContext } from '../../timeline/trace-context.js';

const MAX = 0xffff_ffff;

/**
 * True if a trace is exported. It depends on the id and the caller's flag alone, so that all
 * processes decide alike; the flag counts with the samplers that are `parentbased_`.
 */
export function isSampled(
  { trace_id, sampled }: TraceContext,
  sampler: Config['otelTracesSampler'],
  ratio: number,
): boolean {
  const root = sampler.replace('parentbased_', '');
  if (root !== sampler && sampled !== undefined) return sampled;
  if (root === 'always_on') return true;
  if (root === 'always_off') return false;
  return ratio > 0 && parseInt(trace_id.slice(-8), 16) <= ratio * MAX;
}
