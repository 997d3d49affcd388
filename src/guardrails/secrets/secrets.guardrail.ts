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
 * as the approver sees it. With `GUARDRAIL_SECRETS_INPUT` no person can give one.
 */
@Injectable()
@GuardrailProvider()
export class SecretsGuardrail extends Guardrail {
  readonly name = 'secrets';
  override readonly enabled: boolean;
  private readonly all: SecretBook;
  private readonly inArguments: SecretBook;

  constructor(config: Config) {
    super();
    this.all = secretBook(config);
    this.inArguments = config.guardrailSecretsInput
      ? this.all
      : new SecretBook(ownSecrets(config), []);
    this.enabled = !this.all.isEmpty;
  }

  override openOutput(): OpenFilter {
    return (part) => {
      const book = part === 'tool_input' ? this.inArguments : this.all;
      return book.isEmpty ? undefined : new SecretFilter(book);
    };
  }
}

type SecretConfig = Pick<Config, 'environmentSecrets' | 'guardrailSecrets'>;

/** The secrets that `GUARDRAIL_SECRETS` selects. */
export function secretBook(config: SecretConfig): SecretBook {
  return new SecretBook(ownSecrets(config), config.guardrailSecrets === 'all' ? KEY_PATTERNS : []);
}

function ownSecrets({ environmentSecrets, guardrailSecrets }: SecretConfig): KnownSecret[] {
  if (guardrailSecrets === 'none') return [];
  return secretValues(environmentSecrets).map(({ name, value }) => ({
    name: `${name} of the server`,
    value,
  }));
}
