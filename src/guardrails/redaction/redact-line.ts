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
export function redactLine(line: unknown, redact: Redact, redactJson: Redact): unknown {
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
