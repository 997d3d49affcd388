import { HttpAdapterHost } from '@nestjs/core';
import type { Application } from 'express';
import { loadConfig } from '../../src/config/load-config.js';
import { servedFacades } from '../../src/facades/served-facades.js';
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

/** A WebSocket, which OpenAPI can't describe: the suite `realtime` is about who may open it. */
const SOCKET = 'get /chats/{chat_id}/realtime';

/** The routes of the API, but for its description, as names of operations. */
export function routesOf(server: ServerUnderTest): string[] {
  return allRoutesOf(server).filter((name) => !isOfFacade(name) && name !== SOCKET);
}

/** The routes of the façades, which the OpenAPI document leaves out. */
export function facadeRoutesOf(server: ServerUnderTest): string[] {
  return allRoutesOf(server).filter(isOfFacade);
}

function isOfFacade(name: string): boolean {
  const paths = servedFacades(loadConfig({})).flatMap((facade) => facade.paths);
  return paths.some((path) => name.split(' ')[1]!.startsWith(path));
}

function allRoutesOf(server: ServerUnderTest): string[] {
  const [adapter] = server.getAll(HttpAdapterHost);
  const { router } = adapter!.httpAdapter.getInstance<Application>();
  return (router.stack as unknown as Layer[]).flatMap(({ route }) => {
    if (!route || /^\/(docs(-json|-yaml)?|console)(\/|$)/.test(route.path)) return [];
    const path = route.path.replaceAll(/(?<!\\):(\w+)/g, '{$1}').replaceAll('\\', '');
    return Object.keys(route.methods).map((method) => `${method} ${path}`);
  });
}
