import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../kernel/app-error.js';
import { isObject } from '../../kernel/json/json.js';

/**
 * Parameters that no agent can honour, with the values that change nothing and are taken. They are
 * refused, not ignored: docs/protocols.md.
 */
const REFUSED: Readonly<Record<string, readonly unknown[]>> = {
  n: [1],
  frequency_penalty: [0],
  presence_penalty: [0],
  logprobs: [false],
  top_logprobs: [0],
  logit_bias: [{}],
  seed: [],
  stop: [[]],
  modalities: [['text']],
  audio: [],
  prediction: [],
  web_search_options: [],
  functions: [[]],
  function_call: [],
  prompt: [],
  truncation: ['disabled', 'auto'],
};

/** @throws AppError `invalid_body`, `unsupported_parameter` (400) */
export function refuseParameters(body: Readonly<Record<string, unknown>>): void {
  for (const [name, taken] of Object.entries(REFUSED)) {
    const value = body[name] ?? undefined;
    if (value === undefined || taken.some((each) => isDeepStrictEqual(each, value))) continue;
    const instead = taken.length > 0 ? `, or send ${JSON.stringify(taken[0])}` : '';
    throw unsupported(name, `can’t be honoured by agents: leave it out${instead}`);
  }
  refuseFormat('response_format', body['response_format'], 'json_schema.schema');
  refuseText(body['text']);
}

function refuseText(text: unknown): void {
  if (text === undefined || text === null) return;
  if (!isObject(text)) throw invalidBody('text', 'must be an object');
  refuseFormat('text.format', text['format'], 'schema');
  if ((text['verbosity'] ?? 'medium') === 'medium') return;
  const why = 'can’t be honoured by agents: leave it out, or send "medium"';
  throw unsupported('text.verbosity', why);
}

/** @param schema where the format has its schema */
function refuseFormat(field: string, format: unknown, schema: string): void {
  if (format === undefined || format === null) return;
  if (!isObject(format)) throw invalidBody(field, 'must be an object, such as {"type":"text"}');
  const { type } = format;
  if (type === 'text') return;
  const why =
    'can’t be honoured: agents answer in text, so only {"type":"text"} is supported. For JSON, ask for it in the message, or declare a function with the schema in tools';
  throw unsupported(`${field}.${type === 'json_schema' ? schema : 'type'}`, why);
}

export function unsupported(field: string, why: string): AppError {
  const message = `${field} ${why}.`;
  return new AppError('invalid', 'unsupported_parameter', message, {
    errors: [{ field, message }],
  });
}

export function invalidBody(field: string, why: string): AppError {
  const message = `${field} ${why}.`;
  return new AppError('invalid', 'invalid_body', message, { errors: [{ field, message }] });
}
