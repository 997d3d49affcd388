import { isObject } from '../../../kernel/json/json.js';
import type { Json } from '../../../protocol/json.js';

/** Key of metadata under which an interaction keeps the response that its request named. */
const KEY = 'openai';

/** The metadata of an interaction whose request named a response before it. */
export function withPrevious(metadata: Json, previous_response_id: string | null): Json {
  return previous_response_id === null
    ? metadata
    : { ...metadata, [KEY]: { previous_response_id } };
}

/** The response that the request of an interaction named; null if it named none. */
export function previousOf({ [KEY]: kept }: Json): string | null {
  const id = isObject(kept) ? kept['previous_response_id'] : undefined;
  return typeof id === 'string' ? id : null;
}

/** Metadata as the client gave it. */
export function givenMetadata(metadata: Json): Json {
  const { [KEY]: kept, ...given } = metadata;
  return isObject(kept) ? given : metadata;
}
