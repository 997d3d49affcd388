import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { AudioService, isRecording } from '../../audio/audio.service.js';
import { viewerOf } from '../../access/viewer-of.js';
import type { Principal } from '../../auth/principal.js';
import { MAX_BYTES, MAX_IMAGES } from '../../conversation/shown-images.js';
import { Config } from '../../config/config.js';
import { AppError } from '../../kernel/app-error.js';
import { ModelError } from '../../models/model-error.js';
import type { ReadFile } from '../../protocol/events.js';
import { IMAGE_TYPES, imageBytes } from '../../protocol/message.js';
import { MAX_IMAGE_BYTES } from '../../tools/images/read-image.js';
import { fitImage, MAX_SOURCE_BYTES } from '../../tools/images/scaling/fit-image.js';
import { documentKind, readDocument } from '../extraction/document-text.js';
import type { DocumentKind } from '../extraction/document-text.js';
import { FileCatalog } from '../file-catalog.js';
import type { FileRow } from '../file-catalog.js';
import { FileContents } from '../file-contents.js';
import type { AttachedFile } from '../../protocol/wire/file.js';

/** Characters of all files of a message that a model reads. */
const MAX_CHARS = 200_000;
/** Larger documents are not read: they are in memory as a whole. */
const MAX_DOCUMENT_BYTES = MAX_SOURCE_BYTES;
/** Number of bytes that are read of a text: a character has at most four. */
const MAX_TEXT_BYTES = 4 * MAX_CHARS;

export interface FilesOfMessage {
  readonly tenant_id: string;
  readonly files: readonly AttachedFile[];
  readonly signal: AbortSignal;
}

/** The room that is left for the next file of a message. */
interface Room {
  chars: number;
  images: number;
  image_bytes: number;
}

/** The files of a message as a model reads them. */
export interface ReadFiles {
  readonly files: readonly ReadFile[];
  /** Names of files that the model does not read as a whole, each with the reason. */
  readonly left_out: readonly string[];
}

interface Content {
  readonly text?: string;
  readonly image?: ReadFile['image'];
  readonly transcript?: ReadFile['transcript'];
  /** Follows the description of the file. */
  readonly remark?: string;
}

/** The files that come with a message: which they are, and what a model reads of them. */
@Injectable()
export class AttachedFiles {
  constructor(
    private readonly catalog: FileCatalog,
    private readonly contents: FileContents,
    private readonly audio: AudioService,
    private readonly config: Config,
  ) {}

  /**
   * @throws AppError `invalid_body` (400) if the caller sees no file of one of these ids,
   * `files_unavailable` (503) if the bytes of one are missing
   */
  async find(caller: Principal, ids: readonly string[]): Promise<FileRow[]> {
    const rows: FileRow[] = [];
    for (const file_id of ids) {
      const row = await this.catalog.find(file_id, viewerOf(caller));
      if (!row) throw unknownFile(file_id);
      rows.push(row);
    }
    await this.contents.requireAll(rows);
    return rows;
  }

  /**
   * Texts and documents give their text, recordings what is said in them, images are shown, and
   * others are named.
   * @throws AppError `files_unavailable`, ModelError of the endpoint for audio, and the signal's
   * reason
   */
  async read({ tenant_id, files, signal }: FilesOfMessage): Promise<ReadFiles> {
    const room = { chars: MAX_CHARS, images: MAX_IMAGES, image_bytes: MAX_BYTES };
    const read: ReadFile[] = [];
    const left_out: string[] = [];
    for (const file of files) {
      signal.throwIfAborted();
      const content = await this.contentOf({ tenant_id, ...file }, room, signal);
      room.chars -= content.text?.length ?? 0;
      room.images -= content.image ? 1 : 0;
      room.image_bytes -= content.image ? imageBytes(content.image) : 0;
      read.push(render(file, content));
      const { image, remark } = content;
      if (remark !== undefined && !image) left_out.push(`${file.filename}: ${remark}.`);
    }
    return { files: read, left_out };
  }

  private async contentOf(
    file: AttachedFile & { readonly tenant_id: string },
    room: Room,
    signal: AbortSignal,
  ): Promise<Content> {
    try {
      const kind = documentKind(file.mime_type);
      if (kind) return await this.document(file, { kind, max_chars: room.chars, signal });
      if (IMAGE_TYPES.some((type) => type === file.mime_type))
        return await this.image(file, room, signal);
      if (isRecording(file.mime_type)) return await this.recording(file, room.chars, signal);
      return await this.text(file, room.chars);
    } catch (error) {
      if ((error as AppError).code !== 'file_not_found') throw error;
      return { remark: 'it was deleted before it was read' };
    }
  }

  private async document(
    file: AttachedFile & { readonly tenant_id: string },
    { kind, ...limits }: { kind: DocumentKind; max_chars: number; signal: AbortSignal },
  ): Promise<Content> {
    if (file.size_bytes > MAX_DOCUMENT_BYTES) return { remark: TOO_LARGE };
    if (limits.max_chars <= 0) return { remark: NO_ROOM };
    const found = await readDocument(kind, await buffer(await this.open(file)), limits);
    if (!found.ok) return { remark: `its text can’t be read: it ${found.fault}` };
    if (found.text === '') return { remark: 'it has no text' };
    return { text: found.text, ...(found.is_cut && { remark: CUT }) };
  }

  private async image(
    file: AttachedFile & { readonly tenant_id: string },
    { images, image_bytes }: Room,
    signal: AbortSignal,
  ): Promise<Content> {
    if (file.size_bytes > MAX_SOURCE_BYTES) return { remark: TOO_LARGE };
    if (images === 0) return { remark: NO_MORE_IMAGES };
    const max_bytes = Math.min(MAX_IMAGE_BYTES, image_bytes);
    const found = await fitImage(await buffer(await this.open(file)), { max_bytes, signal });
    if (!found?.ok) return { remark: `it ${found?.fault ?? 'is damaged'}` };
    const { image, is_copy, about } = found;
    if (imageBytes(image) > image_bytes) return { remark: NO_ROOM };
    const remark = is_copy ? `a smaller copy (${about}) is ${SHOWN}` : `it is ${SHOWN}`;
    return { image, remark };
  }

  private async recording(
    file: AttachedFile & { readonly tenant_id: string },
    room: number,
    signal: AbortSignal,
  ): Promise<Content> {
    const { size_bytes, filename } = file;
    if (size_bytes > this.config.audioMaxBytes)
      return { remark: 'it is too large to be transcribed' };
    if (room <= 0) return { remark: NO_ROOM };
    try {
      const { text, language, duration_ms } = await this.audio.slots.withinOnceFree(
        signal,
        async () => {
          const content = await buffer(await this.open(file));
          return this.audio.transcribe({ content, filename }, undefined, signal);
        },
      );
      if (text === '') return { remark: 'nothing is said in it' };
      const transcript = {
        ...(language !== undefined && { language }),
        ...(duration_ms !== undefined && { duration_ms }),
      };
      return { text: text.slice(0, room).toWellFormed(), transcript };
    } catch (error) {
      signal.throwIfAborted();
      const fault = error instanceof AppError && FAULTS[error.code];
      if (fault === undefined || fault === false || error instanceof ModelError) throw error;
      return { remark: fault };
    }
  }

  private async text(
    file: AttachedFile & { readonly tenant_id: string },
    room: number,
  ): Promise<Content> {
    const { size_bytes } = file;
    if (size_bytes === 0) return { remark: 'it is empty' };
    const end = Math.min(size_bytes, MAX_TEXT_BYTES) - 1;
    const head = await buffer(await this.open(file, end));
    const text = readPlainText(head, { is_whole: head.length === size_bytes });
    if (text === undefined) return {};
    if (room <= 0) return { remark: NO_ROOM };
    const is_cut = head.length < size_bytes || text.length > room;
    return { text: text.slice(0, room).toWellFormed(), ...(is_cut && { remark: CUT }) };
  }

  private open(file: AttachedFile & { readonly tenant_id: string }, end?: number) {
    const isPart = end !== undefined && end < file.size_bytes - 1;
    return this.contents.open(file, isPart ? { start: 0, end } : undefined);
  }
}

const CUT = 'only its beginning is here';
const TOO_LARGE = 'it has more than the 25 MiB that can be read';
const SHOWN = 'shown with this message; once it is not, file_read shows it again';
const NO_MORE_IMAGES = `a message shows ${MAX_IMAGES} images, and it comes after them`;
const NO_ROOM = 'there was no more room for it in this message';

/** Descriptions of faults of recordings, by code of `AudioService`. */
const FAULTS: Readonly<Record<string, string>> = {
  audio_too_long: 'it is too long to be transcribed',
  audio_unavailable: 'this server has no endpoint that transcribes it',
  empty_audio: 'it has no sound',
  not_audio: 'it is no recording',
};

/** The text of a file is between two lines that name it; that of a recording is the user's own. */
function render(file: AttachedFile, { text, image, remark, transcript }: Content): ReadFile {
  const { id, filename, mime_type, size_bytes } = file;
  if (transcript && text !== undefined) return { id, text, transcript };
  const size = `${size_bytes.toLocaleString('en-US')} bytes`;
  const about = `${filename}, ${mime_type}, ${size}, ${id}${remark === undefined ? '' : `: ${remark}`}`;
  const lines =
    text === undefined ? [`[File ${about}]`] : [`[File ${about}]`, text, `[End of ${filename}]`];
  return { id, text: lines.join('\n'), ...(image && { image }) };
}

function unknownFile(id: string): AppError {
  const message = `There is no file ${id}.`;
  const errors = [{ field: 'file_ids', message }];
  return new AppError('invalid', 'invalid_body', `Invalid body: file_ids: ${message}`, { errors });
}

/** Control characters that no text has; logs have escapes. */
const BINARY = /[^\P{Cc}\s\u{7F}-\u{9F}]/u;
const ESCAPE = '\u001B';
const MARKS: readonly (readonly [string, string])[] = [
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
];

/** The text of these bytes; undefined if they are none. The last character may be cut off. */
function readPlainText(
  bytes: Buffer,
  { is_whole }: { readonly is_whole: boolean },
): string | undefined {
  const mark = bytes.toString('hex', 0, 2);
  const encoding = MARKS.find(([each]) => each === mark)?.[1] ?? 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: !is_whole });
    return BINARY.test(text.replaceAll(ESCAPE, '')) ? undefined : text;
  } catch {
    return undefined;
  }
}
