import type { Config } from '../../config/config.js';
import type { KnownSecret } from './secret-book.js';

/** Shorter ones would blot out ordinary words; so would a word that is not long. */
const MIN_LENGTH = 8;
const ORDINARY_WORD = /^([A-Za-z]{1,15}|\d{1,15})$/;

/** What the operator has told the server and nobody else: the values, and as JSON and URLs write them. */
export function ownSecrets({
  environmentSecrets,
}: Pick<Config, 'environmentSecrets'>): KnownSecret[] {
  const found = environmentSecrets.flatMap(({ name, value }) =>
    forms(value.reveal()).map((form) => ({ name: `${name} of the server`, value: form })),
  );
  const values = new Set<string>();
  return found.filter(({ value }) => {
    if (value.length < MIN_LENGTH || ORDINARY_WORD.test(value) || values.has(value)) return false;
    return values.add(value);
  });
}

/** Of a URL, its password is what is secret. */
function forms(secret: string): string[] {
  const password = passwordOf(secret);
  const plain = password === undefined ? [secret] : [password, decode(password)];
  return plain.flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text.toWellFormed()),
  ]);
}

/** Empty where a URL has none. */
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
