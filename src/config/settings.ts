import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import type { MasterKey } from './secrets/master-key.js';
import { Secret } from './secrets/secret.js';
import { TENANT } from './tenant-paths.js';

// The message of each type completes the sentence `<VARIABLE>: "abc" …` and says what is allowed.

export function integer(min: number, max: number) {
  return wholeNumber({ min, max, what: 'a whole number' });
}

export function amount(max: number) {
  const isInRange = (text: string): boolean => /^\d+(\.\d+)?$/.test(text) && Number(text) <= max;
  return z.string().refine(isInRange, `has to be a number from 0 to ${max}`).transform(Number);
}

const dollars = z.number().min(0);
const price = z.strictObject({
  ...{ input: dollars, output: dollars },
  cached_input: dollars.optional(),
  cache_write: dollars.optional(),
});
/** By `<provider>/<name>`. */
export const prices = z.record(z.string(), price);

/** JSON, by `<provider>/<name>`. */
export function modelPrices() {
  return z.string().transform((text, context) => {
    const { data } = prices.safeParse(parsed(text));
    if (data) return data;
    context.addIssue(
      'has to be JSON such as {"openai/gpt-5-mini": {"input": 0.25, "cached_input": 0.025, "output": 2}}, in US dollars for a million tokens',
    );
    return z.NEVER;
  });
}

/** JSON, by `<provider>/<name>`. */
export function modelContexts() {
  return z.string().transform((text, context) => {
    const contexts = z.record(z.string(), z.int().min(1000)).safeParse(parsed(text));
    if (contexts.success) return contexts.data;
    context.addIssue(
      'has to be JSON such as {"openai/gpt-5-mini": 400000}, in tokens, each at least 1000',
    );
    return z.NEVER;
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** setTimeout can't wait longer than this many milliseconds (24.8 days). */
const MAX_MS = 2 ** 31 - 1;

export function milliseconds(min: number) {
  return wholeNumber({ min, max: MAX_MS, what: 'milliseconds: a whole number' });
}

function wholeNumber({ min, max, what }: { min: number; max: number; what: string }) {
  const isInRange = (text: string): boolean =>
    /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max;
  return z.string().refine(isInRange, `has to be ${what} from ${min} to ${max}`).transform(Number);
}

export function oneOf<const Words extends readonly [string, ...string[]]>(...words: Words) {
  return z.enum(words, `has to be one of: ${words.join(', ')}`);
}

/** Comma-separated. */
export function someOf<const Words extends readonly [string, ...string[]]>(...words: Words) {
  const message = `has to be some of: ${words.join(', ')}; separated by commas`;
  return z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .pipe(z.array(z.enum(words), message));
}

export function trueOrFalse() {
  return oneOf('true', 'false').transform((word) => word === 'true');
}

export function hostName() {
  return z
    .string()
    .refine(isHost, 'has to be an IP address or a host name, without scheme, port or brackets');
}

/** Comma-separated host names; `*` stands for any. */
export function hostNames() {
  return z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim().toLowerCase()))
    .refine(
      (names) => names.every((name) => name === '*' || isHost(name)),
      'has to be host names without scheme or port, separated by commas, or *',
    );
}

/** Comma-separated origins as browsers send them: `https://app.example:8443`, `app://obsidian.md`. */
export function origins() {
  return z
    .string()
    .transform((text) => text.split(',').map((origin) => origin.trim()))
    .transform((all) => all.filter((origin) => origin !== ''))
    .refine(
      (all) => all.every(isOrigin),
      'has to be origins such as https://app.example:8443 or tauri://localhost, without a path, separated by commas',
    );
}

/** Origin of an app or an extension: `URL` knows no origins of such schemes. */
const OTHER_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\@\s]*$/;

function isOrigin(text: string): boolean {
  if (/^https?:/.test(text)) return URL.canParse(text) && new URL(text).origin === text;
  return !/^wss?:/.test(text) && OTHER_ORIGIN.test(text);
}

const HOST_NAME = /^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?$/;

function isHost(text: string): boolean {
  return isIP(text) !== 0 || HOST_NAME.test(text);
}

/** Comma-separated. */
function absolutePaths() {
  return z
    .string()
    .transform((text) => text.split(',').map((path) => path.trim()))
    .refine((paths) => paths.every(isAbsolute), 'has to be absolute paths, separated by commas');
}

function hasTenantInside(path: string): boolean {
  return !path.includes(TENANT) || /^(\/[^{}/]+)+\/\{tenant\}(\/[^{}]*)?$/.test(path);
}

/** Absolute paths, in which `{tenant}` may be the name of a folder, though not the first. */
export function tenantPaths() {
  return absolutePaths().refine(
    (paths) => paths.every(hasTenantInside),
    'may have {tenant} once, as the name of a folder inside another one: /srv/projects/{tenant}',
  );
}

/** Comma-separated. */
export function variableNames() {
  return z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .refine(
      (names) => names.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)),
      'has to be names of environment variables, separated by commas',
    );
}

const MODEL_NAME = /^[a-z0-9_-]+\/\S+$/;

/** Names of models, separated by commas. `demo` alone is short for its only model. */
export function modelNames() {
  return z
    .string()
    .transform((text) => text.split(',').map((name) => longName(name.trim())))
    .refine(
      (names) => names.every((name) => MODEL_NAME.test(name)),
      'has to be <provider>/<name>, such as openai/gpt-5-mini, or several of these, separated by commas',
    )
    .transform((names) => names.join(','));
}

/**
 * Names of models and beginnings of names with a `*` after them, separated by commas, or `none`.
 */
export function modelPatterns() {
  return z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .refine(
      (names) => names.join() === 'none' || names.every((name) => MODEL_PATTERN.test(name)),
      'has to be <provider>/<name>, several of these separated by commas, also with a * at the end (openai/*, *), or none',
    );
}

const MODEL_PATTERN = /^([a-z0-9_-]+\/[^\s*]*)?\*$|^[a-z0-9_-]+\/[^\s*]+$/;

function longName(name: string): string {
  return name === 'demo' ? 'demo/script' : name;
}

/** A key that has to fit into an HTTP header. */
export function apiKey() {
  return z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'has a space, a line break or a character that is not ASCII in it')
    .apply(secret);
}

/** `name=value,name=value`, percent-encoded, as OpenTelemetry writes headers. */
export function headerList() {
  return z
    .string()
    .regex(
      /^[\w-]+=[\x21-\x2b\x2d-\x7e]*(,[\w-]+=[\x21-\x2b\x2d-\x7e]*)*$/,
      'has to be name=value,name=value',
    )
    .refine(isPercentEncoded, 'has a % that is not followed by two hex digits')
    .apply(secret);
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** An unguessable secret: 32 to 512 characters that fit into an HTTP header. */
export function longSecret() {
  return z
    .string()
    .regex(
      /^[\x21-\x7e]{32,512}$/,
      'has to be 32 to 512 ASCII characters without spaces; make one with: openssl rand -hex 32',
    )
    .apply(secret);
}

/** The key of signatures. It never goes into a header, so that any text will do. */
export function webhookSecret() {
  return z
    .string()
    .min(16, 'has to be at least 16 characters; make one with: openssl rand -hex 32')
    .max(512, 'has to be at most 512 characters')
    .apply(secret);
}

const MASTER_KEY = /^([A-Za-z0-9_-]{1,64}):(.*)$/;

/** Comma-separated `<id>:<base64 of 32 bytes>`. Says what is wrong, and never a key. */
export function masterKeys() {
  return z.string().transform((text, context): readonly [MasterKey, ...MasterKey[]] => {
    const [first, ...others] = text.split(',').map((entry, index) => toMasterKey(entry, index));
    const keys = [first!, ...others] as const;
    const faults = keys.flatMap((key) => (typeof key === 'string' ? key : []));
    const found = keys.flatMap((key) => (typeof key === 'string' ? [] : key.id));
    const twice = found.find((id, index) => found.indexOf(id) !== index);
    if (twice !== undefined) faults.push(`has two keys of the id "${twice}"`);
    for (const fault of faults) context.addIssue(fault);
    return faults.length > 0 ? z.NEVER : (keys as readonly [MasterKey, ...MasterKey[]]);
  });
}

function toMasterKey(entry: string, index: number): MasterKey | string {
  const [, id, key = ''] = MASTER_KEY.exec(entry.trim()) ?? [];
  if (id === undefined)
    return `has no id in its entry ${index + 1}: it has to be <id>:<base64 of 32 bytes>, several of these separated by commas; the id of letters, digits, _ and -`;
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== 32 || bytes.toString('base64') !== key)
    return `has a key "${id}" that is not the base64 of 32 bytes; make one with: openssl rand -base64 32`;
  return { id, secret: new Secret(key) };
}

export function postgresUrl() {
  return z
    .string()
    .refine(
      (text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text),
      'has to be a URL such as postgres://user:password@host:5432/name (percent-encode special characters of the password)',
    )
    .apply(secret);
}

export function redisUrl() {
  return z
    .string()
    .refine(
      (text) => /^rediss?:\/\//.test(text) && URL.canParse(text),
      'has to be a URL such as redis://user:password@host:6379/0, or rediss:// (percent-encode special characters of the password)',
    )
    .apply(secret);
}

export function proxyUrl() {
  return z
    .string()
    .refine(
      (text) => /^https?:\/\//.test(text) && URL.canParse(text),
      'has to be the URL of an HTTP proxy, such as http://proxy:3128 (percent-encode special characters of a password)',
    )
    .apply(secret);
}

const UNPROXIED = /^(\*|\.?[\w.-]+(:\d+)?|\[?[\da-f:]+\]?)$/;

/** Comma-separated hosts, domains with or without a dot before them, or `*`. */
export function unproxiedHosts() {
  return z
    .string()
    .transform((text) => text.split(',').map((host) => host.trim().toLowerCase()))
    .transform((hosts) => hosts.filter((host) => host !== ''))
    .refine(
      (hosts) => hosts.every((host) => UNPROXIED.test(host)),
      'has to be hosts or domains, separated by commas, or * (address ranges are not supported)',
    );
}

export function httpUrl(example = 'http://localhost:11434/v1') {
  return z.string().superRefine((text, context) => {
    const url = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
    if (!url) context.addIssue(`has to be an http:// or https:// URL, such as ${example}`);
    else if (url.username || url.password)
      context.addIssue(
        'must not carry a user name or a password; the key goes into the variable beside it',
      );
  });
}

/** A secret, since the path of a webhook may be what protects it. */
export function webhookUrl() {
  return httpUrl('https://example.com/parley').apply(secret);
}

function secret(type: z.ZodType<string, string>) {
  return type.transform((text) => new Secret(text)).apply(hidden);
}

const HIDDEN = z.registry();

/** Marks a type whose values are never shown, not even invalid ones. */
export function hidden<Type extends z.ZodType>(type: Type): Type {
  HIDDEN.add(type);
  return type;
}

export function isHidden(type: z.ZodType): boolean {
  return HIDDEN.has(type instanceof z.ZodOptional ? type.unwrap() : type);
}
