import { DiscoveryService } from '@nestjs/core';

/** Marks a provider that extends `Guardrail` as one that all agents run behind. */
export const GuardrailProvider = DiscoveryService.createDecorator();
