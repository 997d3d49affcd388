import type { Config } from './config.js';

/**
 * Minimum length of a secret: shorter ones would redact ordinary words. Short plain words and
 * numbers are excluded for the same reason.
 */
const MIN_LENGTH = 8;
const ORDINARY_WORD = /^([A-Za-z]{1,15}|\d{1,15})$/;

/** A text to redact, and the variable that it is from. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
}

/**
 * The texts to redact of secret variables: the plain values, and as escaped in JSON and in URLs.
 */
export function secretValues(secrets: Config['environmentSecrets']): SecretValue[] {
  const found = secrets.flatMap(({ name, value }) =>
    forms(value.reveal()).map((form) => ({ name, value: form })),
  );
  const values = new Set<string>();
  return found.filter(({ value }) => {
    if (value.length < MIN_LENGTH || ORDINARY_WORD.test(value) || values.has(value)) return false;
    return values.add(value);
  });
}

/** Forms of a secret in texts. In a URL, only the password is a secret. */
function forms(secret: string): string[] {
  const password = passwordOf(secret);
  const plain = password === undefined ? [secret] : [password, decode(password)];
  return plain.flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text.toWellFormed()),
  ]);
}

/** Empty if a URL has no password. */
function passwordOf(secret: string): string | undefined {
  const isUrl = secret.includes('://') && URL.canParse(secret);
  return isUrl ? new URL(secret).password : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
