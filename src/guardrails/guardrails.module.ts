import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Guardrails } from './guardrails.js';
import { MaxTokensGuardrail } from './max-tokens/max-tokens.guardrail.js';
import { PatternsGuardrail } from './redaction/patterns.guardrail.js';
import { Redaction } from './redaction/redaction.js';
import { SecretsGuardrail } from './secrets/secrets.guardrail.js';

@Module({
  imports: [DiscoveryModule],
  providers: [Guardrails, MaxTokensGuardrail, PatternsGuardrail, Redaction, SecretsGuardrail],
  exports: [Guardrails, Redaction],
})
export class GuardrailsModule {}
