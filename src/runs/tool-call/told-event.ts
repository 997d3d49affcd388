import { AppError } from '../../kernel/app-error.js';
import { cutText } from '../../kernel/text/cut-text.js';
import type { RecordOf } from '../../protocol/events.js';
import { task as taskSchema } from '../../protocol/wire/task.js';
import type { ToolEvent } from '../../tools/core/tool.js';

type Notice = RecordOf<'NOTICE'>;
type TaskUpdated = RecordOf<'TASK_UPDATED'>;
/** A text after the guardrails. */
type Read = (text: string) => Promise<string>;

const MAX_CODE = 64;
/** Characters of a notice. */
const MAX_NOTICE = 10_000;
/** Bytes of JSON: a task has at most 10,500 characters of text. */
const MAX_TASK = 64 * 1024;

/**
 * The record of an event that a tool tells: JavaScript, or a cast, can send anything.
 * @throws AppError `invalid_event`
 */
export async function toldBody(event: ToolEvent, read: Read): Promise<Notice | TaskUpdated> {
  const { type } = event;
  if (type === 'NOTICE') return noticeBody(event, read);
  if (type === 'TASK_UPDATED') return taskBody(event, read);
  throw invalid(
    `tell takes NOTICE and TASK_UPDATED, not ${JSON.stringify(type)}. Send events of your own with emit, and set metadata with set_metadata`,
  );
}

async function noticeBody(
  { type, code, message }: Pick<Notice, 'type' | 'code' | 'message'>,
  read: Read,
): Promise<Notice> {
  if (typeof code !== 'string' || code === '' || code.length > MAX_CODE)
    throw invalid(`a notice needs a code of 1 to ${MAX_CODE} characters`);
  if (typeof message !== 'string') throw invalid('the message of a notice has to be a text');
  return { type, code, message: cutText(await read(message), MAX_NOTICE) };
}

async function taskBody({ type, task, deleted }: TaskUpdated, read: Read): Promise<TaskUpdated> {
  const { data, error } = taskSchema.safeParse(task);
  if (error)
    throw invalid(`the task is not one of the task board: ${error.issues[0]!.path.join()}`);
  if (Buffer.byteLength(JSON.stringify(data)) > MAX_TASK)
    throw invalid(`the task has more than ${MAX_TASK} bytes of JSON`);
  const title = await read(data.title);
  const description = data.description === null ? null : await read(data.description);
  return { type, task: { ...data, title, description }, ...(deleted && { deleted }) };
}

function invalid(fault: string): AppError {
  return new AppError('unprocessable', 'invalid_event', `Not sent: ${fault}.`);
}
