import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { AppError } from '../../kernel/app-error.js';
import { inSlices } from '../../kernel/async/sliced.js';
import type { Sliced } from '../../kernel/async/sliced.js';
import type { RecordOf } from '../../protocol/events.js';
import type { Message } from '../../protocol/message.js';
import type { Json } from '../../protocol/json.js';
import { describeRedacted } from '../../protocol/redacted.js';
import type { RedactedCounts } from '../../protocol/redacted.js';
import { SecretBook } from '../secrets/secret-book.js';
import { SecretFilter } from '../secrets/secret-filter.js';
import { secretBook } from '../secrets/secrets.guardrail.js';
import { redactJsonText, redactStrings } from './arguments-filter.js';
import type { Redact } from './arguments-filter.js';
import { PatternFilter } from './pattern-filter.js';
import { openRedactPatterns } from './redact-patterns.js';
import type { RedactPattern } from './redact-patterns.js';

/** Characters in which secrets are searched for without a break. */
const SLICE = 65_536;

/** Set if something was redacted; never the values. */
export interface MaybeRedacted {
  readonly redacted?: RedactedCounts;
}

/**
 * Redacts what people and clients send, before anything of it is stored, hashed or sent on:
 * `REDACT_PATTERNS`, and the secrets with `GUARDRAIL_SECRETS_INPUT`. Output is redacted by
 * guardrails.
 */
@Injectable()
export class Redaction {
  /** Patterns of the file that `REDACT_PATTERNS` names. */
  readonly patterns: readonly RedactPattern[];
  private readonly secrets: SecretBook;
  private allSecrets: SecretBook | undefined;

  /** @throws ConfigError with every fault of the file */
  constructor(private readonly config: Config) {
    this.patterns = openRedactPatterns(config.redactPatterns);
    this.secrets = config.guardrailSecretsInput ? secretBook(config) : new SecretBook([], []);
  }

  /** The object with these fields redacted, as far as they are texts. */
  of<T extends object>(given: T, ...fields: readonly (keyof T)[]): Promise<T & MaybeRedacted> {
    return this.counting(function* (redact) {
      const changed = { ...given };
      for (const field of fields) {
        const text: unknown = given[field];
        if (typeof text === 'string') changed[field] = (yield* redact(text)) as T[keyof T];
      }
      return changed;
    }, given);
  }

  /** A text that may have JSON in it, for operators: without secrets, whatever guardrails leave. */
  ofRaw(text: string): Promise<string> {
    const { environmentSecrets } = this.config;
    const secrets = (this.allSecrets ??= secretBook({
      environmentSecrets,
      guardrailSecrets: 'all',
    }));
    const counts = new Map<string, number>();
    return inSlices(redactJsonText(text, (part) => this.redact(part, { counts, secrets })));
  }

  /** A line of a session log with its texts redacted; ids, types and times stay. */
  ofLine({ redacted: _, ...line }: Json): Promise<Json & MaybeRedacted> {
    return this.counting<Json>((redact) => redactField('', line, redact) as Sliced<Json>, line);
  }

  /** Redacts messages. Changed messages lose their `provider_data`, which repeats the original. */
  async ofMessages(messages: readonly Message[]): Promise<Message[]> {
    return (await this.ofLine({ messages }))['messages'] as Message[];
  }

  /**
   * Refuses a value that has to be used exactly as it was sent.
   * @throws AppError `redacted_input` (400)
   */
  async requireNothingIn(value: Json, field: string): Promise<void> {
    const { redacted } = await this.counting(function* (redact) {
      yield* redactStrings(value, redact);
      yield* redact(JSON.stringify(value));
      return {};
    }, {});
    if (!redacted) return;
    const names = Object.keys(redacted).join(', ');
    const message = `${field} has text that is redacted here (${names}), so it can't be saved as it is. Send it without that text.`;
    throw new AppError('invalid', 'redacted_input', message, { errors: [{ field, message }] });
  }

  /** `otherwise`: the result if nothing is redacted. */
  private async counting<T extends object>(
    work: (redact: Redact) => Sliced<T>,
    otherwise: T,
  ): Promise<T & MaybeRedacted> {
    if (this.patterns.length === 0 && this.secrets.isEmpty) return otherwise;
    const counts = new Map<string, number>();
    const result = await inSlices(
      work((text) => this.redact(text, { counts, secrets: this.secrets })),
    );
    return counts.size === 0 ? otherwise : { ...result, redacted: Object.fromEntries(counts) };
  }

  private *redact(
    text: string,
    { counts, secrets: book }: { counts: Map<string, number>; secrets: SecretBook },
  ): Sliced<string> {
    const patterns = new PatternFilter(this.patterns, counts);
    const secrets = new SecretFilter(book);
    const plain = (yield* patterns.pushSliced(text)) + (yield* patterns.endSliced());
    let shown = '';
    for (let at = 0; at < plain.length; at += SLICE) {
      shown += secrets.push(plain.slice(at, at + SLICE));
      yield;
    }
    shown += secrets.end();
    for (const [name, count] of secrets.counts) counts.set(name, (counts.get(name) ?? 0) + count);
    return shown;
  }
}

/** The notice of a redacted input: `The message was redacted: email (2×).` */
export function redactionNotice(subject: string, redacted: RedactedCounts): RecordOf<'NOTICE'> {
  const message = `${subject} was redacted: ${describeRedacted(redacted)}.`;
  return { type: 'NOTICE', code: 'guardrail', message };
}

/** Fields of a session log that have text of people, models or tools. */
const TEXTS = new Set([
  ...['user_message', 'content', 'answer', 'tool_output', 'question', 'options', 'action'],
  ...['reason', 'user_comment', 'user_content', 'prompt', 'result', 'message', 'text', 'note'],
  ...[
    'title',
    'system_prompt',
    'preview',
    'description',
    'cancel_reason',
    'tripwire',
    'error',
    'summary',
    'remarks',
    'whole',
  ],
]);
/** Fields with JSON as a text. */
const JSON_TEXTS = new Set(['tool_input', 'arguments']);
/** Fields whose value is text at any depth. */
const VALUES = new Set(['modified_input', 'value', 'data']);

/**
 * Redacts the texts in a line of a session log. A message that changes loses its `provider_data`,
 * which repeats the original.
 */
function* redactField(field: string, value: unknown, redact: Redact): Sliced<unknown> {
  if (typeof value === 'string') {
    if (JSON_TEXTS.has(field)) return yield* redactJsonText(value, redact);
    return TEXTS.has(field) || VALUES.has(field) ? yield* redact(value) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return yield* redactFields(field, value, redact);
  const items: unknown[] = [];
  for (const item of value) items.push(yield* redactField(field, item, redact));
  return items;
}

function* redactFields(field: string, value: object, redact: Redact): Sliced<unknown> {
  if ('media_type' in value) return value; // an image
  const { provider_data, ...rest } = value as { readonly provider_data?: unknown };
  const entries: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(rest)) {
    const within = VALUES.has(field) ? field : name;
    entries.push([name, yield* redactField(within, inner, redact)]);
    yield;
  }
  const redacted = Object.fromEntries(entries);
  const isKept = provider_data !== undefined && JSON.stringify(redacted) === JSON.stringify(rest);
  return { ...redacted, ...(isKept && { provider_data }) };
}
