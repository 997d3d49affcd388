import { z } from 'zod';
import { invalidBody } from '../errors.js';

const MAX_ITEMS = 200;
const BODY = z.looseObject({
  channels: z.array(z.string().max(200)).min(1).max(MAX_ITEMS),
  namespaces: z
    .array(z.array(z.string().max(500)).max(50))
    .max(MAX_ITEMS)
    .nullish(),
  depth: z.number().int().min(0).nullish(),
  since: z.number().nullish(),
});

export type EventFilter = z.infer<typeof BODY>;

interface Filtered {
  readonly method: string;
  readonly namespace: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** @throws AppError `invalid_body` (400) */
export function readFilter(body: unknown): EventFilter {
  const { data, error } = BODY.safeParse(body ?? {});
  if (data) return data;
  const [issue] = error.issues;
  throw invalidBody(issue!.path.join('.') || 'body', issue!.message);
}

/** True for events of the channels and namespaces that the client asked for. */
export function isWanted({ method, namespace, data }: Filtered, filter: EventFilter): boolean {
  const channel = method.startsWith('input.') ? 'input' : method;
  const named = method === 'custom' ? `custom:${String(data['name'])}` : channel;
  if (!filter.channels.includes(channel) && !filter.channels.includes(named)) return false;
  const prefixes = filter.namespaces?.length ? filter.namespaces : [[]];
  return prefixes.some((prefix) => {
    const isInside = prefix.every((segment, at) => isSegment(namespace[at], segment));
    return isInside && namespace.length - prefix.length <= (filter.depth ?? Infinity);
  });
}

/** A segment without a colon names all of its kind. */
function isSegment(given: string | undefined, wanted: string): boolean {
  return given === wanted || (!wanted.includes(':') && given?.split(':', 1)[0] === wanted);
}
