import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Guardrails } from './guardrails.js';
import { MaxTokensGuardrail } from './max-tokens/max-tokens.guardrail.js';
import { SecretsGuardrail } from './secrets/secrets.guardrail.js';

@Module({
  imports: [DiscoveryModule],
  providers: [Guardrails, MaxTokensGuardrail, SecretsGuardrail],
  exports: [Guardrails],
})
export class GuardrailsModule {}
