import { z } from 'zod';
import type { RecordContent } from '../../persistence/rows/log-record.js';
import type { Image } from '../../protocol/image.js';
import { RECORDS } from '../../protocol/records.js';
import { readImage } from '../../tools/images/read-image.js';
import { checkFields } from './check-fields.js';
import type { Checked } from './check-fields.js';
import type { RecordLine } from './line-fields.js';

/** Characters of base64. */
const MAX_IMAGE_TEXT = 2 * 1024 * 1024;

const result = RECORDS.TOOL_RESULT.hidden;
const image = result.shape.images.unwrap().element;
const readable = image.refine(isReadable, 'is no image that a model can be shown');
const dropped = z.unknown().transform(() => null);

/** Stricter than the schema: images have to be readable, processes of another host are dropped. */
const STRICTER: Readonly<Record<string, z.ZodType>> = {
  TOOL_RESULT: result.extend({ images: z.array(readable).optional() }).nullable(),
  TOOL_STARTED: dropped,
};

/** By type. */
const CONTENTS: ReadonlyMap<unknown, z.ZodType<RecordContent>> = new Map(
  Object.entries<{ body: z.ZodType; hidden?: z.ZodType }>(RECORDS).map(([type, schemas]) => {
    const hidden = STRICTER[type] ?? schemas.hidden?.nullable() ?? dropped;
    return [type, z.object({ body: schemas.body, hidden }) as z.ZodType<RecordContent>];
  }),
);

/** The content of a record, as far as its schema knows it. */
export function checkRecord({ body, hidden = null }: RecordLine): Checked<RecordContent> {
  const schema = CONTENTS.get(body['type']);
  if (!schema) return { ok: false, fault: 'body.type: is no event of this version' };
  return checkFields(schema, { body, hidden });
}

/** As a tool that has read its bytes would have it. */
function isReadable({ media_type, data }: Image): boolean {
  if (data.length > MAX_IMAGE_TEXT) return false;
  const read = readImage(Buffer.from(data, 'base64'));
  return read?.ok === true && read.image.media_type === media_type && read.image.data === data;
}
