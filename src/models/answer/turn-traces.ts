import type { ModelEvent } from '../model-provider.js';
import { exactJson } from '../../kernel/json/exact-json.js';
import { cutText } from '../../kernel/text/cut-text.js';

const MAX_TRACES = 20;
const MAX_DETAIL = 1_000;
const DAMAGED =
  'The model API sent a part of its answer in a form that can’t be read, so that it may be incomplete.';

/** Reports unknown content of a turn: each field once, bounded in number and size. */
export class TurnTraces {
  private count = 0;
  private isDamaged = false;

  constructor(
    private readonly emit: (event: ModelEvent) => void,
    /** Redacts secrets. */
    readonly scrub: (text: string) => string,
  ) {}

  add(name: string, detail: unknown): void {
    if (++this.count > MAX_TRACES) return;
    const text = typeof detail === 'string' ? detail : exactJson(detail);
    this.emit({ type: 'trace', name, detail: cutText(this.scrub(text), MAX_DETAIL) });
  }

  /** Reports a part of the answer that can't be read; people are told once that one is missing. */
  lost(name: string, detail: unknown): void {
    this.add(name, detail);
    if (this.isDamaged) return;
    this.isDamaged = true;
    this.emit({ type: 'notice', code: 'answer_damaged', message: DAMAGED });
  }

  /** Reports an unknown reason for the end of the turn: the rest of it may be missing. */
  unknownReason(reason: string): void {
    this.add('unknown_finish_reason', reason);
    const message = `The model API ended the turn with the reason "${this.scrub(reason)}", which is not known, so that its answer may be incomplete.`;
    this.emit({ type: 'notice', code: 'unknown_finish_reason', message });
  }

  /**
   * Reports each field that is not in `known` and has a value, once: it is then added to `known`.
   */
  unknownFields(name: string, fields: object, known: Set<string>): void {
    for (const field in fields)
      if (!known.has(field)) this.tellField(name, fields, { field, known });
  }

  private tellField(name: string, fields: object, at: { field: string; known: Set<string> }): void {
    const value = (fields as Record<string, unknown>)[at.field];
    if (value === null || value === undefined || this.count >= MAX_TRACES) return;
    at.known.add(at.field);
    this.add(name, { [at.field]: value });
  }
}
