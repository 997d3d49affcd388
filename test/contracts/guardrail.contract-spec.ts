import { loadConfig } from '../../src/config/load-config.js';
import { MaxTokensGuardrail } from '../../src/guardrails/max-tokens/max-tokens.guardrail.js';
import { SecretsGuardrail } from '../../src/guardrails/secrets/secrets.guardrail.js';
import { describeGuardrail } from './guardrail.contract.js';

const TOKEN = 'a-token-of-the-server';
const PASSWORD = 'p4ss-with-%21';

describe(SecretsGuardrail.name, () => {
  const env = {
    MY_TOKEN: TOKEN,
    DATABASE_URL: `postgres://user:${PASSWORD}@localhost/name`,
    PLAIN: 'nothing-to-hide',
    OTHER: 'something-to-hide',
    GUARDRAIL_SECRET_VARIABLES: 'OTHER',
  };
  const open = (scope = 'all') =>
    new SecretsGuardrail(loadConfig({ ...env, GUARDRAIL_SECRETS: scope }));
  describeGuardrail(() => open(), [TOKEN, 'AKIAIOSFODNN7EXAMPLE', 'AKIA']);

  const redact = (scope: string, text: string): string => {
    const filter = open(scope).openOutput()('text');
    return filter ? filter.push(text) + filter.end() : text;
  };

  it('knows the secrets of the environment, and those that it is told of', () => {
    expect(redact('own', `${TOKEN} nothing-to-hide something-to-hide`)).toBe(
      '[redacted: MY_TOKEN of the server] nothing-to-hide [redacted: OTHER of the server]',
    );
    expect(redact('own', `${PASSWORD} is p4ss-with-!`)).not.toContain('p4ss');
    expect(redact('own', 'user@localhost/name AKIAIOSFODNN7EXAMPLE')).toContain('AKIA');
    expect(redact('all', 'AKIAIOSFODNN7EXAMPLE')).not.toContain('AKIA');
    expect(open('none').enabled).toBe(false);
  });
});

describe(MaxTokensGuardrail.name, () => {
  const env = { GUARDRAIL_MAX_INPUT_TOKENS: '3', GUARDRAIL_MAX_OUTPUT_TOKENS: '3' };
  describeGuardrail(() => new MaxTokensGuardrail(loadConfig(env)), ['12345678', '\u{1f99c}']);
});
