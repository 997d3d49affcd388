import { z } from 'zod';

/**
 * The schemas that have a name in the OpenAPI document. A schema registers itself as the last step,
 * as each method of zod makes another one: `z.object({ … }).register(components, { id: 'File' })`.
 */
export const components = z.registry<{ id: string }>();

/** The path of a component in the OpenAPI document. */
export function pathTo(id: string): string {
  return `#/components/schemas/${id}`;
}

/** @throws Error for a schema that is not among the components */
export function refTo(schema: z.ZodType): { $ref: string } {
  const named = components.get(schema);
  if (!named) throw new Error('The schema is not registered as a component.');
  return { $ref: pathTo(named.id) };
}
