import { HttpAdapterHost } from '@nestjs/core';
import type { Application } from 'express';
import type { Scope } from '../../src/auth/principal.js';
import type { ServerUnderTest } from './servers.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
}

/** An operation of the OpenAPI document. */
export interface Operation {
  /** As `get /chats/{chat_id}`. */
  readonly name: string;
  readonly path: string;
  readonly method: string;
  /** Scopes of which one is needed; undefined: it does not say. */
  readonly access: readonly (Scope | 'public')[] | undefined;
  /** Of the body: its top level. */
  readonly parameters: readonly Parameter[];
  readonly security: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Documented {
  readonly 'x-access'?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
  readonly security: unknown;
  readonly responses: Operation['responses'];
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Record<string, boolean> };
}

export async function operationsOf(server: ServerUnderTest): Promise<Operation[]> {
  const { paths, components } = (await server.api.get('/docs-json')).body as Document;
  const inBody = ({ requestBody }: Documented): Parameter[] =>
    Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => {
      const { properties } = components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
      return Object.keys(properties ?? {}).map((name) => ({ name, in: 'body' }));
    });
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method} ${path}`,
      path,
      method: method.toUpperCase(),
      access: operation['x-access']?.split(' or ') as Operation['access'],
      parameters: [...(operation.parameters ?? []), ...inBody(operation)],
      security: operation.security,
      responses: operation.responses,
    })),
  );
}

/**
 * The routes that the server answers, but for the description of the API, as names of operations.
 */
export function routesOf(server: ServerUnderTest): string[] {
  const [adapter] = server.getAll(HttpAdapterHost);
  const { router } = adapter!.httpAdapter.getInstance<Application>();
  return (router.stack as unknown as Layer[]).flatMap(({ route }) => {
    if (!route || /^\/docs(-json|-yaml)?(\/|$)/.test(route.path)) return [];
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    return Object.keys(route.methods).map((method) => `${method} ${path}`);
  });
}
