import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { AppError } from '../../kernel/app-error.js';
import type { RecordOf } from '../../protocol/events.js';
import type { Message } from '../../protocol/message.js';
import type { Json } from '../../protocol/json.js';
import { describeRedacted } from '../../protocol/redacted.js';
import type { RedactedCounts } from '../../protocol/redacted.js';
import { SecretBook } from '../secrets/secret-book.js';
import { SecretFilter } from '../secrets/secret-filter.js';
import { secretBook } from '../secrets/secrets.guardrail.js';
import { redactJsonText, redactStrings } from './arguments-filter.js';
import { PatternFilter } from './pattern-filter.js';
import { openRedactPatterns } from './redact-patterns.js';
import type { RedactPattern } from './redact-patterns.js';

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
  /** Of the file that `REDACT_PATTERNS` names. */
  readonly patterns: readonly RedactPattern[];
  private readonly secrets: SecretBook;

  /** @throws ConfigError with every fault of the file */
  constructor(config: Config) {
    this.patterns = openRedactPatterns(config.redactPatterns);
    this.secrets = config.guardrailSecretsInput ? secretBook(config) : new SecretBook([], []);
  }

  /** The object with these fields redacted, as far as they are texts. */
  of<T extends object>(given: T, ...fields: readonly (keyof T)[]): T & MaybeRedacted {
    return this.counting((redact) => {
      const changed = fields.flatMap((field) => {
        const text: unknown = given[field];
        return typeof text === 'string' ? [[field, redact(text)] as const] : [];
      });
      return { ...given, ...Object.fromEntries(changed) };
    }, given);
  }

  /** A line of a session log with its texts redacted; ids, types and times stay. */
  ofLine({ redacted: _, ...line }: Json): Json & MaybeRedacted {
    return this.counting<Json>(
      (redact) => redactLine(line, redact, (text) => redactJsonText(text, redact)) as Json,
      line,
    );
  }

  /** Those that change lose their `provider_data`, which repeats the original. */
  ofMessages(messages: readonly Message[]): Message[] {
    return this.ofLine({ messages })['messages'] as Message[];
  }

  /**
   * Refuses a value that has to be used exactly as it was sent.
   * @throws AppError `redacted_input` (400)
   */
  requireNothingIn(value: Json, field: string): void {
    const { redacted } = this.counting((redact) => {
      redactStrings(value, redact);
      redact(JSON.stringify(value));
      return {};
    }, {});
    if (!redacted) return;
    const names = Object.keys(redacted).join(', ');
    const message = `${field} has text that is redacted here (${names}), so it can't be saved as it is. Send it without that text.`;
    throw new AppError('invalid', 'redacted_input', message, { errors: [{ field, message }] });
  }

  /** `otherwise`: the result if nothing is redacted. */
  private counting<T extends object>(
    work: (redact: (text: string) => string) => T,
    otherwise: T,
  ): T & MaybeRedacted {
    if (this.patterns.length === 0 && this.secrets.isEmpty) return otherwise;
    const counts = new Map<string, number>();
    const result = work((text) => this.redact(text, counts));
    return counts.size === 0 ? otherwise : { ...result, redacted: Object.fromEntries(counts) };
  }

  private redact(text: string, counts: Map<string, number>): string {
    const patterns = new PatternFilter(this.patterns, counts);
    const secrets = new SecretFilter(this.secrets);
    const shown = secrets.push(patterns.push(text) + patterns.end()) + secrets.end();
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

type Redact = (text: string) => string;

/**
 * Redacts the texts in a line of a session log. A message that changes loses its `provider_data`,
 * which repeats the original.
 */
function redactLine(line: unknown, redact: Redact, redactJson: Redact): unknown {
  return redactField('', line);

  function redactField(field: string, value: unknown): unknown {
    if (typeof value === 'string') {
      if (JSON_TEXTS.has(field)) return redactJson(value);
      return TEXTS.has(field) || VALUES.has(field) ? redact(value) : value;
    }
    if (Array.isArray(value)) return value.map((item) => redactField(field, item));
    if (typeof value !== 'object' || value === null) return value;
    return redactFields(field, value);
  }

  function redactFields(field: string, value: object): unknown {
    if ('media_type' in value) return value; // an image
    const { provider_data, ...rest } = value as { readonly provider_data?: unknown };
    const redacted = Object.fromEntries(
      Object.entries(rest).map(([name, inner]) => [
        name,
        redactField(VALUES.has(field) ? field : name, inner),
      ]),
    );
    const isKept = provider_data !== undefined && JSON.stringify(redacted) === JSON.stringify(rest);
    return { ...redacted, ...(isKept && { provider_data }) };
  }
}
