import { isObject } from '../../../kernel/json/json.js';
import type { AgUiEvent, Json } from '../ag-ui-event.js';

/** Characters of the client's state as JSON; a longer one is not sent back to it. */
const MAX_LENGTH = 256 * 1024;
type Part = 'tasks' | 'metadata';

/**
 * The state that the client shares, with two fields of ours: `tasks` of the board, by id, and
 * `metadata` that agents set. A snapshot first, then patches (RFC 6902).
 */
export class SharedState {
  private readonly given: Json | undefined;
  private readonly parts: Record<Part, Record<string, unknown>>;
  private isSent = false;
  private isChanged = false;

  /** @param state as the client sent it; one that is no object stays its own */
  constructor(state: unknown) {
    const given = state ?? {};
    const isShort = isObject(given) && JSON.stringify(given).length <= MAX_LENGTH;
    this.given = isShort ? given : undefined;
    this.parts = { tasks: partOf(given, 'tasks'), metadata: partOf(given, 'metadata') };
  }

  set(part: Part, key: string, value: unknown): readonly AgUiEvent[] {
    if (key === '__proto__') return []; // clients refuse whole patches for it
    this.parts[part][key] = value;
    return this.send({ op: 'add', path: pathOf(part, key), value });
  }

  remove(part: Part, key: string): readonly AgUiEvent[] {
    if (!Object.hasOwn(this.parts[part], key)) return [];
    delete this.parts[part][key];
    return this.send({ op: 'remove', path: pathOf(part, key) });
  }

  /** For a client that has not seen the changes so far. */
  reopen(): readonly AgUiEvent[] {
    this.isSent = false;
    return this.isChanged ? this.snapshot() : [];
  }

  private send(patch: Json): readonly AgUiEvent[] {
    this.isChanged = true;
    if (!this.isSent) return this.snapshot();
    return [{ type: 'STATE_DELTA', delta: [patch] }];
  }

  private snapshot(): readonly AgUiEvent[] {
    if (!this.given) return [];
    this.isSent = true;
    const { tasks, metadata } = this.parts;
    const snapshot = { ...this.given, tasks: { ...tasks }, metadata: { ...metadata } };
    return [{ type: 'STATE_SNAPSHOT', snapshot }];
  }
}

function partOf(given: unknown, part: Part): Record<string, unknown> {
  const value = isObject(given) ? given[part] : undefined;
  return isObject(value) ? { ...value } : {};
}

function pathOf(part: Part, key: string): string {
  return `/${part}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
