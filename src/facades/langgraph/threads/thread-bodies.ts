import { z } from 'zod';
import { invalidBody, unsupported } from '../errors.js';

const METADATA = z.record(z.string(), z.unknown()).nullish();
const LIMIT = z.number().int().min(1).max(1000).nullish();

const CREATED = z.looseObject({
  thread_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
    .nullish(),
  metadata: METADATA,
  if_exists: z.enum(['raise', 'do_nothing']).nullish(),
});
const SEARCHED = z.looseObject({
  metadata: METADATA,
  ids: z.array(z.string()).max(1000).nullish(),
  status: z.enum(['idle', 'busy', 'interrupted', 'error']).nullish(),
  limit: LIMIT,
  offset: z.number().int().min(0).max(10_000).nullish(),
  sort_by: z.enum(['created_at', 'updated_at', 'state_updated_at']).nullish(),
  sort_order: z.enum(['desc']).nullish(),
});
const CONFIGURABLE = z.looseObject({ checkpoint_id: z.string().nullish() });
const HISTORY = z.looseObject({
  limit: LIMIT,
  before: z
    .union([z.string(), CONFIGURABLE.extend({ configurable: CONFIGURABLE.nullish() })])
    .nullish(),
  checkpoint: z.looseObject({ checkpoint_ns: z.string().nullish() }).nullish(),
});
const UPDATED = z.looseObject({ metadata: METADATA });
const NAMED = z.looseObject({ checkpoint: z.looseObject({ checkpoint_id: z.string().nullish() }) });

export type ThreadSearch = z.infer<typeof SEARCHED>;

export function readCreated(body: unknown): z.infer<typeof CREATED> {
  const created = read(CREATED, body);
  if (created['supersteps'] !== undefined && created['supersteps'] !== null)
    throw unsupported('supersteps', 'can’t be honoured: send the messages with the first run');
  return created;
}

export function readSearched(body: unknown): ThreadSearch {
  const search = read(SEARCHED, body);
  for (const name of ['values', 'extract'])
    if (search[name] !== undefined && search[name] !== null)
      throw unsupported(name, 'can’t be searched: leave it out');
  return search;
}

export function readUpdated(body: unknown): z.infer<typeof UPDATED> {
  return read(UPDATED, body);
}

/** The checkpoint that a body names; null: the latest. */
export function readNamed(body: unknown): string | null {
  return read(NAMED, body).checkpoint.checkpoint_id ?? null;
}

/** The extent of a history: at most `limit` states after the one of `before`. */
export function readHistory(body: unknown) {
  const { limit, before, checkpoint } = read(HISTORY, body);
  const named =
    typeof before === 'string' ? before : (before?.configurable ?? before)?.checkpoint_id;
  return {
    limit: limit ?? 10,
    before: named ?? undefined,
    namespace: checkpoint?.checkpoint_ns ?? '',
  };
}

/** @throws AppError `invalid_body` (400) */
function read<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const { data, error } = schema.safeParse(body ?? {});
  if (!error) return data;
  const [issue] = error.issues;
  throw invalidBody(issue!.path.join('.') || 'body', issue!.message);
}
