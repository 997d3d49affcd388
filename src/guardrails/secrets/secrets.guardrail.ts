import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Guardrail } from '../guardrail.js';
import type { OpenFilter } from '../guardrail.js';
import { GuardrailProvider } from '../guardrail-provider.decorator.js';
import { KEY_PATTERNS } from './key-patterns.js';
import { ownSecrets } from './own-secrets.js';
import { SecretBook } from './secret-book.js';
import { SecretFilter } from './secret-filter.js';

/**
 * Redacts secrets in what agents and tools put out. Of a call's arguments only the server's own: what a person has given an agent to work
 * with has to reach the tool as whoever approves the call sees it.
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
