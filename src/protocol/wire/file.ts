import { z } from 'zod';
import { components } from './components.js';
import type { Immutable } from '../json.js';
import { text, time } from './fields.js';
import { pageOf } from './page.js';

export const attachedFile = z
  .object({
    id: text.meta({ example: 'file_0199c0de-0000-7000-8000-000000000000' }),
    filename: text.meta({ example: 'report.pdf' }),
    mime_type: text.meta({ example: 'application/pdf' }),
    size_bytes: z.int().min(0).meta({ example: 48_213 }),
  })
  .describe('A file that came with a message. It may be deleted since.')
  .register(components, { id: 'AttachedFile' });

export const file = z
  .object({
    ...attachedFile.shape,
    chat_id: text
      .nullable()
      .meta({ description: 'null: it belongs to its owner alone.', example: 'chat_123' }),
    mime_type: attachedFile.shape.mime_type.describe(
      'Found out from its content, not what the client said.',
    ),
    sha256: text.describe('SHA-256 of its bytes, in hex.'),
    created_at: time,
    owner: text.describe('The user who added it.'),
  })
  .describe('A file that was uploaded, or published by an agent.')
  .register(components, { id: 'File' });

export const fileList = pageOf(file, 'Newest first.').register(components, { id: 'FileList' });

export const fileUrl = z
  .object({
    url: text.describe(
      'Gives the bytes without a credential: absolute, or a path of this server, which works once.',
    ),
    expires_at: time,
  })
  .register(components, { id: 'FileUrl' });

/** A file that was uploaded, or published by an agent. */
export type FileInfo = Immutable<z.infer<typeof file>>;

/** A file that came with a message, as the message names it. */
export type AttachedFile = Immutable<z.infer<typeof attachedFile>>;
export type FileList = Immutable<z.infer<typeof fileList>>;
export type FileUrl = Immutable<z.infer<typeof fileUrl>>;
