import { Logger } from '@nestjs/common';
import type { DiscoverableDecorator, DiscoveryService } from '@nestjs/core';

/** A base class of parts that packages add, and the decorator that makes the server offer them. */
export interface Part {
  readonly base: abstract new (...args: never[]) => object;
  readonly decorator: DiscoverableDecorator<never>;
  /** The decorator as authors write it: `@AgentType({ name, description })`. */
  readonly written: string;
}

/** Warns of providers that extend the base class, and are not offered without its decorator. */
export function warnOfUndecorated(discovery: DiscoveryService, part: Part): void {
  const { base, decorator, written } = part;
  const found = discovery.getProviders({ metadataKey: decorator.KEY });
  const decorated = new Set(found.map(({ instance }) => instance as unknown));
  for (const { instance } of discovery.getProviders()) {
    if (!(instance instanceof base) || decorated.has(instance)) continue;
    const { name } = instance.constructor;
    new Logger('Parley').warn(
      `${name} extends ${base.name}, but has no ${written}: it is not used. Add the decorator to the class.`,
    );
  }
}
