import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { secretValues } from '../../config/secret-values.js';
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

function ownSecrets({ environmentSecrets }: Pick<Config, 'environmentSecrets'>): KnownSecret[] {
  return secretValues(environmentSecrets).map(({ name, value }) => ({
    name: `${name} of the server`,
    value,
  }));
}
