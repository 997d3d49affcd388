import { ParleyError } from 'parley/client';

/**
 * Faults that the server found in the fields of a changed input, by their paths; faults of none of
 * them are under the empty name.
 */
export function fieldFaults(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ParleyError) || error.code !== 'invalid_input') return {};
  const told = error.errors.map(({ message }) => message).join('\n');
  const faults: Record<string, string> = {};
  for (const line of told.split('\n')) {
    const [, path, message] = /^- ([^:\s]+): (.*)$/.exec(line) ?? [];
    if (path !== undefined && message !== undefined) faults[path] = message;
  }
  return faults;
}
