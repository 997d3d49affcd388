import { DiscoveryService } from '@nestjs/core';

/** Marks a provider that extends `Guardrail` as one that applies to all agents. */
export const GuardrailProvider = DiscoveryService.createDecorator();
