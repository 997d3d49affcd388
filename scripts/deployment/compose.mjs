import { readFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';

const VARIABLE = /\$\$|\$\{(?<name>\w+)(?:(?<operator>:-|:\?)(?<rest>[^}]*))?\}/g;

/**
 * A compose file as compose would see it, with these variables in its `.env`; `variables` has the
 * names that it asks for.
 * @throws Error if it isn't well-formed, or asks for a variable that has neither value nor default
 */
export async function readCompose(path, given) {
  const document = parseDocument(await readFile(path, 'utf8'), { merge: true, uniqueKeys: true });
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) throw new Error(`${path}: ${problems.join('\n')}`);
  const raw = document.toJS();
  const variables = new Set();
  return { ...interpolate(raw, given, variables), variables, raw };
}

function interpolate(value, given, variables) {
  if (typeof value === 'string') return fill(value, given, variables);
  if (Array.isArray(value)) return value.map((item) => interpolate(item, given, variables));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, of]) => [key, interpolate(of, given, variables)]));
}

function fill(text, given, variables) {
  return text.replaceAll(VARIABLE, (match, ...rest) => {
    if (match === '$$') return '$';
    const { name, operator, rest: other = '' } = rest.at(-1);
    variables.add(name);
    if (given[name]) return given[name];
    if (operator === ':-') return other;
    throw new Error(`compose.yaml asks for ${name}, which is not set`);
  });
}

/** `5s`, `1m`: in milliseconds. */
export function milliseconds(duration) {
  const [, number, unit] = /^(\d+)(ms|s|m)$/.exec(duration) ?? [];
  if (!unit) throw new Error(`${duration} is not a duration`);
  return Number(number) * { ms: 1, s: 1000, m: 60_000 }[unit];
}
