import { z } from 'zod';
import { AGENT_EVENT_TYPES, delta, deltaType, trace } from './deltas.js';
import { liveEvents } from './live-events.js';
import { records } from './records.js';
import { components, pathTo } from './wire/components.js';
import { count, text, time } from './wire/fields.js';

const ORIGIN = { interaction_id: text, agent_id: text };
const NUMBERED = { ...ORIGIN, seq: count.min(1).describe('1, 2, 3… without a gap.'), at: time };
const EXAMPLE_ORIGIN = { interaction_id: 'int_1', agent_id: 'agent_1' };
const EXAMPLE_NUMBERED = { ...EXAMPLE_ORIGIN, seq: 3, at: '2026-01-15T10:00:00.000Z' };

export type JsonSchema = z.core.JSONSchema.BaseSchema & { readonly [keyword: string]: unknown };

/** The records, deltas and the trace event as clients get them, each with an example, by type. */
export function eventSchemas(): ReadonlyMap<string, z.ZodObject> {
  const durable = Object.entries<{ body: z.ZodObject }>(records()).map(([type, { body }]) => {
    return [type, withOrigin(body, NUMBERED, EXAMPLE_NUMBERED)] as const;
  });
  const deltas = deltaType.options.map((type) => {
    const one = delta.extend({ type: z.literal(type) }).meta({ ...delta.meta() });
    return [type, withOrigin(one, ORIGIN, EXAMPLE_ORIGIN)] as const;
  });
  return new Map([...durable, ...deltas, ['TRACE', withOrigin(trace, ORIGIN, EXAMPLE_ORIGIN)]]);
}

const NULL = { type: 'string', nullable: true, enum: [null] } as z.core.JSONSchema.BaseSchema;

let built: Record<string, JsonSchema> | undefined;

/**
 * The component schemas of an OpenAPI 3.0 document: those of `wire/`, each event, the types that
 * they share, and the unions `StreamEvent` and `AgentEvent`. Built on first use.
 */
export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  built ??= buildComponents();
  return built;
}

function buildComponents(): Record<string, JsonSchema> {
  const events = eventSchemas();
  for (const [type, schema] of events) components.add(schema, { id: componentName(type) });
  for (const [id, schema] of liveSchemas()) components.add(schema, { id });
  const { schemas } = z.toJSONSchema(components, {
    target: 'openapi-3.0',
    io: 'input',
    uri: pathTo,
    override: ({ jsonSchema }) => admitNull(jsonSchema),
  });
  // OpenAPI 3.0 has no `$id`
  const own = Object.entries(schemas).map(([id, { $id: _, ...schema }]) => [id, schema] as const);
  return {
    ...Object.fromEntries(own),
    StreamEvent: unionOf([...events.keys()], 'The `data` of each frame of a stream.'),
    ...liveComponents(),
    AgentEvent: unionOf(AGENT_EVENT_TYPES, 'A record that `Interaction.agent_events` shows.'),
  };
}

/** OpenAPI 3.0: beside `nullable`, neither an `enum` nor a reference has null among its values. */
function admitNull(schema: z.core.JSONSchema.BaseSchema): void {
  if (!schema['nullable']) return;
  if (schema.enum) schema.enum = [...schema.enum, null];
  if (!schema.allOf) return;
  schema.anyOf = [...schema.allOf, NULL];
  delete schema.allOf;
  delete schema['nullable'];
}

/** The events of the two live streams, each with an example, by the names of their components. */
export function liveSchemas(): ReadonlyMap<string, z.ZodObject> {
  const { chat, feed } = liveEvents();
  return new Map([...named(chat, 'Chat'), ...named(feed, 'Feed')]);
}

function named(events: Record<string, z.ZodObject>, prefix: string) {
  return Object.entries(events).map(([type, schema]) => {
    const { description, example } = schema.meta() ?? {};
    const withType = { type, ...(example as object) };
    const name = `${prefix}${componentName(type)}`;
    return [name, schema.meta({ description, example: withType })] as const;
  });
}

function liveComponents(): Record<string, JsonSchema> {
  const names = [...liveSchemas().keys()];
  const refs = (prefix: string) =>
    names.filter((name) => name.startsWith(prefix)).map((name) => ({ $ref: pathTo(name) }));
  return {
    ChatStreamEvent: {
      description: 'The `data` of each frame of the stream of a chat.',
      anyOf: [{ $ref: pathTo('StreamEvent') }, ...refs('Chat')],
    },
    FeedEvent: {
      description: 'The `data` of each frame of the feed.',
      anyOf: refs('Feed'),
    },
  };
}

/** `TOOL_CALL` → `ToolCallEvent` */
export function componentName(type: string): string {
  const words = type.toLowerCase().split('_');
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Event`;
}

function withOrigin(body: z.ZodObject, origin: z.ZodRawShape, example: object): z.ZodObject {
  const { type, ...rest } = body.shape;
  const { description, example: own } = body.meta() ?? {};
  const [name] = (type as z.ZodLiteral).values;
  return z
    .object({ type: type!, ...origin, ...rest })
    .meta({ description, example: { type: name, ...example, ...(own as object) } });
}

function unionOf(types: readonly string[], description: string): JsonSchema {
  const mapping = Object.fromEntries(types.map((type) => [type, pathTo(componentName(type))]));
  const oneOf = Object.values(mapping).map(($ref) => ({ $ref }));
  return { description, oneOf, discriminator: { propertyName: 'type', mapping } };
}
