import { DiscoveryService } from '@nestjs/core';

/** Marks a provider that extends `Tool` as a tool that agents can call. */
export const ToolProvider = DiscoveryService.createDecorator();
