import { AppError } from './app-error.js';

/**
 * @param kind what they are, in the plural
 * @param both the two instances, whose classes the message names
 */
export function duplicateName(kind: string, name: string, both: readonly object[]): AppError {
  const classes = both.map((one) => one.constructor.name).join(' and ');
  const message = `Two ${kind} are called "${name}": ${classes}. Rename one, or leave one of them out of the modules.`;
  return new AppError('internal', 'duplicate_name', message);
}

/** @throws AppError `duplicate_name` */
export function requireDistinctNames(
  kind: string,
  all: readonly { readonly name: string }[],
): void {
  const byName = new Map<string, object>();
  for (const one of all) {
    const other = byName.get(one.name);
    if (other) throw duplicateName(kind, one.name, [other, one]);
    byName.set(one.name, one);
  }
}
