import type { RecordBody, RecordType } from '../../protocol/events.js';
import { checkFields } from './check-fields.js';
import type { Checked } from './check-fields.js';
import { HIDDEN_FIELDS } from './hidden-fields.js';
import type { RecordLine } from './line-fields.js';
import { RECORD_FIELDS } from './record-fields.js';

/** What a record says and hides, as far as it is believed. */
export interface RecordContent {
  readonly body: RecordBody;
  readonly hidden: unknown;
}

export function checkRecord({ body, hidden = null }: RecordLine): Checked<RecordContent> {
  const { type } = body;
  if (!isRecordType(type)) return { ok: false, fault: 'body.type: is no event of this version' };
  const shown = checkFields<object>(RECORD_FIELDS[type], body);
  if (!shown.ok) return { ok: false, fault: `body.${shown.fault}` };
  const schema = HIDDEN_FIELDS[type];
  const journal = schema ? checkFields(schema, hidden) : { ok: true as const, value: hidden };
  if (!journal.ok) return { ok: false, fault: `hidden.${journal.fault}` };
  return { ok: true, value: { body: withType(type, shown.value), hidden: journal.value } };
}

function isRecordType(type: unknown): type is RecordType {
  return typeof type === 'string' && Object.hasOwn(RECORD_FIELDS, type);
}

function withType(type: RecordType, fields: object): RecordBody {
  return { type, ...fields } as RecordBody;
}
