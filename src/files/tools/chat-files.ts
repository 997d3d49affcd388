import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { ANY_TENANT } from '../../persistence/any-tenant.js';
import { ChatStore } from '../../persistence/chat.store.js';
import type { ToolContext } from '../../tools/core/tool.js';
import { ToolFault } from '../../tools/workspace-files/tool-fault.js';
import { MAX_FILE_BYTES } from '../../workspace/read-file.js';
import { FileCatalog } from '../file-catalog.js';
import type { FileRow } from '../file-catalog.js';
import { FileContents } from '../file-contents.js';
import { FileIntake } from '../file-intake.js';
import { FilesService } from '../files.service.js';
import type { FileInfo } from '../../protocol/wire/file.js';

type OfChat = Pick<ToolContext, 'chat_uid'>;

/** The files of the chat in which a tool runs; it sees no others. */
@Injectable()
export class ChatFiles {
  constructor(
    private readonly catalog: FileCatalog,
    private readonly contents: FileContents,
    private readonly intake: FileIntake,
    private readonly files: FilesService,
    private readonly chats: ChatStore,
  ) {}

  /** The newest first. */
  list({ chat_uid }: OfChat, limit: number): Promise<FileRow[]> {
    return this.catalog.list({ viewer: ANY_TENANT, chat_uid, limit });
  }

  async find({ chat_uid }: OfChat, id: string): Promise<FileRow | undefined> {
    const file = await this.catalog.find(id, ANY_TENANT);
    return file?.chat_uid === chat_uid ? file : undefined;
  }

  /** @throws ToolFault if there is none of this id in the chat */
  async require(chat: OfChat, id: string): Promise<FileRow> {
    const file = await this.find(chat, id);
    if (!file) throw notInChat(id);
    return file;
  }

  /**
   * A file as a whole.
   * @throws ToolFault if there is none of this id in the chat, or it is too large; AppError
   * `files_unavailable`
   */
  async read(
    chat: OfChat,
    id: string,
    maxBytes: (file: FileRow) => number = () => MAX_FILE_BYTES,
  ): Promise<{ file: FileRow; bytes: Buffer }> {
    const file = await this.require(chat, id);
    const most = maxBytes(file);
    if (file.size_bytes > most)
      throw new ToolFault(
        `${file.filename} has ${file.size_bytes} bytes, more than the ${most} that can be taken.`,
      );
    return { file, bytes: await buffer(await this.contents.open(file)) };
  }

  /**
   * Adds a file to the chat, whose owner it belongs to.
   * @throws ToolFault if the chat was deleted; AppError `quota_exceeded`, `files_unavailable`
   */
  async add({ chat_uid }: OfChat, filename: string, content: Readable): Promise<FileInfo> {
    const chat = await this.chats.findChatByUid(chat_uid);
    if (!chat) throw new ToolFault('The chat was deleted.');
    return this.intake.publish(chat, { filename }, content);
  }

  /** @throws ToolFault if there is none of this id in the chat, such as one that is deleted */
  async delete(chat: OfChat, id: string): Promise<void> {
    await this.require(chat, id);
    if (!(await this.files.remove(id, ANY_TENANT))) throw notInChat(id);
  }
}

function notInChat(id: string): ToolFault {
  return new ToolFault(`There is no file ${id} in this chat. file_list names those that are.`);
}
