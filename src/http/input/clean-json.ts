/// <reference lib="es2024.string" />
import { AppError } from '../../kernel/app-error.js';

export const MAX_DEPTH = 64;

/**
 * Makes parsed JSON safe to keep, in place: lone surrogates become U+FFFD, `__proto__` keys go.
 * @throws AppError `invalid_text` for U+0000, which no database keeps, `too_deep` for more than 64 levels
 */
export function cleanJson(value: object): void {
  cleanMembers(value, []);
}

export function tooDeep(): AppError {
  const message = `The body is nested deeper than ${MAX_DEPTH} levels.`;
  return new AppError('invalid', 'too_deep', message);
}

function cleanMembers(holder: object, path: string[]): void {
  if (path.length >= MAX_DEPTH) throw tooDeep();
  const members = holder as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    path.push(key);
    cleanMember(members, key, path);
    path.pop();
  }
}

function cleanMember(members: Record<string, unknown>, key: string, path: string[]): void {
  if (key === '__proto__') {
    delete members[key];
    return;
  }
  const value = members[key];
  const name = cleanText(key, path);
  const cleaned = typeof value === 'string' ? cleanText(value, path) : value;
  if (name !== key) delete members[key];
  if (name !== key || cleaned !== value) members[name] = cleaned;
  if (typeof cleaned === 'object' && cleaned !== null) cleanMembers(cleaned, path);
}

function cleanText(text: string, path: readonly string[]): string {
  if (!text.includes('\0')) return text.isWellFormed() ? text : text.toWellFormed();
  const field = path.join('.').replaceAll('\0', '\\u0000').slice(0, 200);
  const message = 'must not contain the character U+0000';
  throw new AppError('invalid', 'invalid_text', `${field} ${message}`, {
    errors: [{ field, message }],
  });
}
