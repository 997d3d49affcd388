import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Guardrail } from '../guardrail.js';
import type { OpenFilter } from '../guardrail.js';
import { GuardrailProvider } from '../guardrail-provider.decorator.js';
import { KEY_PATTERNS } from './key-patterns.js';
import { SecretBook } from './secret-book.js';
import { SecretFilter } from './secret-filter.js';
import type { KnownSecret } from './secret-book.js';

/**
 * Redacts secrets in the output of agents and tools. In the arguments of a call only the server's
 * own secrets are redacted: a secret that a person gave to the agent has to reach the tool exactly
 * as the approver sees it.
 */
@Injectable()
@GuardrailProvider()
export class SecretsGuardrail extends Guardrail {
  readonly name = 'secrets';
  override readonly enabled: boolean;
  private readonly own: SecretBook;
  private readonly all: SecretBook;

  constructor(config: Config) {
    super();
    const { guardrailSecrets: scope } = config;
    const secrets = scope === 'none' ? [] : ownSecrets(config);
    this.own = new SecretBook(secrets, []);
    this.all = new SecretBook(secrets, scope === 'all' ? KEY_PATTERNS : []);
    this.enabled = !this.all.isEmpty;
  }

  override openOutput(): OpenFilter {
    return (part) => {
      const book = part === 'tool_input' ? this.own : this.all;
      return book.isEmpty ? undefined : new SecretFilter(book);
    };
  }
}

/**
 * Minimum length of a secret: shorter ones would redact ordinary words. Short plain words and
 * numbers are excluded for the same reason.
 */
const MIN_LENGTH = 8;
const ORDINARY_WORD = /^([A-Za-z]{1,15}|\d{1,15})$/;

/**
 * The secrets of the server's environment: the plain values, and as escaped in JSON and in URLs.
 */
function ownSecrets({ environmentSecrets }: Pick<Config, 'environmentSecrets'>): KnownSecret[] {
  const found = environmentSecrets.flatMap(({ name, value }) =>
    forms(value.reveal()).map((form) => ({ name: `${name} of the server`, value: form })),
  );
  const values = new Set<string>();
  return found.filter(({ value }) => {
    if (value.length < MIN_LENGTH || ORDINARY_WORD.test(value) || values.has(value)) return false;
    return values.add(value);
  });
}

/** Of a URL, only the password is a secret. */
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
