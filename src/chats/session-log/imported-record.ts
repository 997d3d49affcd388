import { z } from 'zod';
import type { RecordContent } from '../../persistence/rows/log-record.js';
import type { Hidden, HiddenOf, RecordBody, StoppedEffect } from '../../protocol/events.js';
import type { Image } from '../../protocol/message.js';
import { records } from '../../protocol/records.js';
import { readImage } from '../../tools/images/read-image.js';
import { checkFields } from './line-schemas.js';
import type { Checked, RecordLine } from './line-schemas.js';
import type { NewIds } from './new-ids.js';
import type { Task } from '../../protocol/wire/task.js';

/** Characters of base64. */
const MAX_IMAGE_TEXT = 2 * 1024 * 1024;

const NOT_READABLE = 'is not an image that can be shown to a model';

type Schemas = ReadonlyMap<unknown, z.ZodType<RecordContent>>;

let built: Schemas | undefined;

/** The content of a record, as far as its schema knows it. */
export function checkRecord({ body, hidden = null }: RecordLine): Checked<RecordContent> {
  built ??= contentSchemas();
  const schema = built.get(body['type']);
  if (!schema) return { ok: false, fault: 'body.type: is not an event type of this version' };
  return checkFields(schema, { body, hidden });
}

/** By type. Images have to be readable, and processes of another host are dropped. */
function contentSchemas(): Schemas {
  const table = records();
  const result = table.TOOL_RESULT.hidden;
  const image = result.shape.images.unwrap().element;
  const images = z.array(image.refine(isReadable, NOT_READABLE));
  const dropped = z.unknown().transform(() => null);
  const stricter: Readonly<Record<string, z.ZodType>> = {
    TOOL_RESULT: result.extend({ images: images.optional() }).nullable(),
    STEP_COMPLETED: table.STEP_COMPLETED.hidden.refine(hasReadableFiles, NOT_READABLE).nullable(),
    TOOL_STARTED: dropped,
  };
  const each = Object.entries<{ body: z.ZodType; hidden?: z.ZodType }>(table);
  return new Map(
    each.map(([type, { body, ...schemas }]) => {
      const hidden = stricter[type] ?? schemas.hidden?.nullable() ?? dropped;
      return [type, z.object({ body, hidden }) as z.ZodType<RecordContent>];
    }),
  );
}

/**
 * The content with new ids. Tool calls and blocks keep theirs, which are valid within their
 * interaction only.
 */
export function renameRecord({ body, hidden }: RecordContent, ids: NewIds): RecordContent {
  return { body: renameBody(body, ids), hidden: renameHidden(hidden, ids) } as RecordContent;
}

function renameBody(body: RecordBody, ids: NewIds): RecordBody {
  switch (body.type) {
    case 'APPROVAL_REQUIRED':
    case 'APPROVED':
    case 'REJECTED':
      return { ...body, approval_id: ids.approval(body.approval_id) };
    case 'INPUT_REQUIRED':
    case 'INPUT_RECEIVED':
    case 'TOOL_RESULT_REQUIRED':
      return { ...body, request_id: ids.input(body.request_id) };
    case 'TASK_UPDATED':
      return { ...body, task: renameTask(body.task, ids) };
    case 'AGENT_STARTED':
      return { ...body, parent_agent_id: ids.agent(body.parent_agent_id) };
    case 'AGENT_INTERVENED':
      return { ...body, intervention_id: ids.intervention(body.intervention_id) };
    case 'AGENT_TOLD':
      return {
        ...body,
        note_id: ids.note(body.note_id),
        to_agent_id: ids.agent(body.to_agent_id),
      };
    case 'NOTE_READ':
      return {
        ...body,
        note_id: ids.note(body.note_id),
        from_agent_id: ids.agent(body.from_agent_id),
      };
    case 'CANCELLED':
      return { ...body, stopped: body.stopped.map((effect) => renameStopped(effect, ids)) };
    case 'STEP_COMPLETED':
      return { ...body, ...(body.transcripts && { transcripts: renamed(body.transcripts, ids) }) };
    case 'INTERACTION_STARTED': // replaced by a new one
    case 'THINKING':
    case 'MESSAGE':
    case 'ANSWER':
    case 'TOOL_CALL':
    case 'TOOL_STARTED':
    case 'TOOL_RESULT':
    case 'TURN_COMPLETED':
    case 'CUSTOM':
    case 'METADATA_SET':
    case 'NOTICE':
    case 'RESUMED':
    case 'AGENT_COMPLETED':
    case 'ERROR':
    case 'INTERACTION_COMPLETE':
      return body;
  }
}

function renamed<T extends { readonly file_id: string }>(of: readonly T[], ids: NewIds): T[] {
  return of.map((each) => ({ ...each, file_id: ids.file(each.file_id) }));
}

function renameStopped(effect: StoppedEffect, ids: NewIds): StoppedEffect {
  const { kind, id } = effect;
  return kind === 'agent' && id !== undefined ? { ...effect, id: ids.agent(id) } : effect;
}

function renameTask(task: Task, ids: NewIds): Task {
  const agent_id = task.agent_id === null ? null : ids.agent(task.agent_id);
  return { ...task, id: ids.task(task.id), chat_id: ids.chat_id, agent_id };
}

function renameHidden(hidden: Hidden | null, ids: NewIds): Hidden | null {
  if (hidden && 'files' in hidden)
    return { files: hidden.files.map((file) => ({ ...file, id: ids.file(file.id) })) };
  if (!hidden || !('deferred' in hidden) || hidden.deferred === undefined) return hidden;
  return { ...hidden, deferred: ids.approval(hidden.deferred) };
}

function hasReadableFiles(hidden: HiddenOf<'STEP_COMPLETED'>): boolean {
  if (!('files' in hidden)) return true;
  return hidden.files.every(({ image }) => image === undefined || isReadable(image));
}

/** True if the image is exactly as a tool that has read its bytes would have it. */
function isReadable({ media_type, data }: Image): boolean {
  if (data.length > MAX_IMAGE_TEXT) return false;
  const read = readImage(Buffer.from(data, 'base64'));
  return read?.ok === true && read.image.media_type === media_type && read.image.data === data;
}
