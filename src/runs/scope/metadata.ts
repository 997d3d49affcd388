import { setKey } from '../../kernel/json/json.js';
import type { Json } from '../../protocol/json.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';

/** The metadata of the interaction, with what its agents have set: a fold over its log. */
export class Metadata {
  /** Frozen; each change makes another object. */
  current: Json;

  constructor(metadata: Json) {
    this.current = Object.freeze({ ...metadata });
  }

  apply({ body }: Pick<LogRecord, 'body'>): void {
    if (body.type !== 'METADATA_SET') return;
    const next = { ...this.current };
    if (body.value === null) delete next[body.key];
    else setKey(next, body.key, body.value);
    this.current = Object.freeze(next);
  }
}
