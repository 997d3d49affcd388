import { z } from 'zod';
import { AppError } from '../../kernel/app-error.js';
import { isObject } from '../../kernel/json/json.js';
import { requireShort } from '../base/require-short.js';

const MAX_PARTS = 1_000;
const MAX_ANSWERS = 200;
const ID = /^[A-Za-z0-9_-]{1,64}$/;
const ID_FORM = 'must be 1 to 64 letters, digits, _ or -';
const TEXT_MODES = ['text/plain', 'text/*', '*/*', 'text'];

/** An empty text counts as left out, as in ProtoJSON. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (isUnset(value) ? undefined : value), schema.optional());

const record = optional(z.record(z.string(), z.unknown()));
const length = optional(
  z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
);

const BODY = z.looseObject({
  tenant: optional(z.string()),
  message: z.looseObject({
    messageId: z.string().min(1).max(200),
    contextId: optional(z.string().regex(ID, ID_FORM)),
    taskId: optional(z.string().regex(ID, ID_FORM)),
    role: z.literal('ROLE_USER'),
    parts: z.array(z.looseObject({ text: z.string().nullish(), data: z.unknown().optional() })),
    metadata: record,
  }),
  configuration: optional(
    z.looseObject({
      acceptedOutputModes: optional(z.array(z.string())),
      taskPushNotificationConfig: z.unknown().optional(),
      historyLength: length,
      returnImmediately: optional(z.boolean()),
    }),
  ),
  metadata: record,
});

type Json = Readonly<Record<string, unknown>>;

/** A message that begins a task, or is for one. */
export interface SentMessage {
  readonly messageId: string;
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
  readonly text: string;
  /** Verdicts, and answers to questions, as they are sent. */
  readonly answers: readonly Json[];
  readonly metadata: Json;
  readonly historyLength: number | undefined;
  readonly returnImmediately: boolean;
}

/**
 * @throws AppError `invalid_body`, `unsupported_parameter`, `content_type_not_supported`,
 * `push_notification_not_supported` (400), `body_too_large` (413)
 */
export function readSentMessage(given: unknown): SentMessage {
  const { tenant, message, configuration, metadata } = readBody(given);
  const { acceptedOutputModes: modes = [], taskPushNotificationConfig } = configuration ?? {};
  refuseTenant(tenant);
  if (taskPushNotificationConfig) throw noPushNotifications();
  if (modes.length > 0 && !modes.some((mode) => TEXT_MODES.includes(mode)))
    throw unsupportedContent(
      'configuration.acceptedOutputModes',
      'lack text/plain, which is what agents answer with',
    );
  const { messageId, contextId, taskId, parts } = message;
  const isAnswer = ({ data }: (typeof parts)[number]): boolean => isAnswerData(data);
  const answers = parts.filter(isAnswer).map(({ data }) => data as Json);
  if (answers.length > 0 && taskId === undefined)
    throw invalid('message.taskId', 'is needed: it says which task is answered');
  if (answers.length > MAX_ANSWERS)
    throw invalid('message.parts', `have more than ${MAX_ANSWERS} answers`);
  const text = textOf(parts.filter((part) => !isAnswer(part)));
  requireContent(text, answers);
  return {
    ...{ messageId, contextId, taskId, text, answers },
    metadata: { ...message.metadata, ...metadata },
    historyLength: configuration?.historyLength,
    returnImmediately: configuration?.returnImmediately ?? false,
  };
}

/** True of a message for a task, which it answers or directs: the body is not checked yet. */
export function isForTask(given: unknown): boolean {
  const message = isObject(given) ? given['message'] : undefined;
  const taskId = isObject(message) ? message['taskId'] : undefined;
  return !isUnset(taskId);
}

/** True also of what ProtoJSON has for a text that is not set. */
function isUnset(value: unknown): value is '' | null | undefined {
  return value === undefined || value === null || value === '';
}

/** @throws AppError `unsupported_parameter` (400) */
export function refuseTenant(tenant: unknown): void {
  if (isUnset(tenant)) return;
  const message = 'tenant can’t be chosen: it is that of the credential. Leave it out.';
  const errors = [{ field: 'tenant', message }];
  throw new AppError('invalid', 'unsupported_parameter', message, { errors });
}

export function invalid(field: string, why: string): AppError {
  const message = `${field} ${why}.`;
  return new AppError('invalid', 'invalid_body', message, { errors: [{ field, message }] });
}

/** @throws AppError `invalid_body` (400) with the first fault */
export function parseWith<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const { data, error } = schema.safeParse(given ?? {});
  if (!error) return data;
  const [first] = error.issues;
  throw invalid(first?.path.join('.') || 'body', `is invalid: ${first?.message ?? ''}`);
}

function readBody(given: unknown): z.output<typeof BODY> {
  const message = isObject(given) ? given['message'] : undefined;
  const parts = isObject(message) ? message['parts'] : undefined;
  // before the schema, which takes long for many
  if (Array.isArray(parts) && parts.length > MAX_PARTS)
    throw invalid('message.parts', `are more than ${MAX_PARTS}`);
  return parseWith(BODY, given);
}

function isAnswerData(data: unknown): boolean {
  if (!isObject(data)) return false;
  return typeof data['approval_id'] === 'string' || typeof data['request_id'] === 'string';
}

function textOf(parts: z.output<typeof BODY>['message']['parts']): string {
  const texts = parts.map((part, index) => {
    const { text, data } = part;
    for (const kind of ['raw', 'url'])
      if (!isUnset(part[kind]))
        throw unsupportedContent(
          `message.parts.${index}.${kind}`,
          'is a file: upload it with POST /files, and send text',
        );
    if (!isUnset(text)) return text;
    if (data !== undefined && data !== null) return JSON.stringify(data);
    if (text === '') return text;
    throw invalid(`message.parts.${index}`, 'has neither text nor data');
  });
  return requireShort(texts.join('\n\n'));
}

function requireContent(text: string, answers: readonly Json[]): void {
  const hasText = /\S/.test(text);
  if (answers.length === 0 && !hasText)
    throw invalid('message.parts', 'must contain more than white space');
  if (answers.length > 0 && hasText)
    throw invalid(
      'message.parts',
      'have text beside answers: send it as `reason` or `answer`, or in a message of its own',
    );
}

function unsupportedContent(field: string, why: string): AppError {
  const message = `${field} ${why}.`;
  const errors = [{ field, message }];
  return new AppError('invalid', 'content_type_not_supported', message, { errors });
}

export function noPushNotifications(): AppError {
  const message =
    'Push notifications are not supported: subscribe to the task, or use webhooks of the server.';
  return new AppError('invalid', 'push_notification_not_supported', message);
}
