import type { z } from 'zod';

export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: string };

/** What of `given` the schema knows, in the order in which it was written, or its first fault. */
export function checkFields<T>(schema: z.ZodType<T>, given: unknown): Checked<T> {
  const { data, error } = schema.safeParse(given);
  const [issue] = error?.issues ?? [];
  if (!issue) return { ok: true, value: inOrderOf(given, data) as T };
  const path = issue.path.join('.').slice(0, 100);
  return { ok: false, fault: path === '' ? issue.message : `${path}: ${issue.message}` };
}

function inOrderOf(given: unknown, checked: unknown): unknown {
  if (typeof checked !== 'object' || checked === null) return checked;
  const before = given as Record<string, unknown>;
  if (Array.isArray(checked)) return checked.map((each, i) => inOrderOf(before[i], each));
  const after = checked as Record<string, unknown>;
  const keys = Object.keys(before).filter((key) => Object.hasOwn(after, key));
  return Object.fromEntries(keys.map((key) => [key, inOrderOf(before[key], after[key])]));
}
