import { pipeline } from 'node:stream/promises';
import { Controller, Get, Logger, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AuditTrail } from '../../audit/audit-trail.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { Access } from '../../auth/access.decorator.js';
import { ChatIdDto } from '../../http/input/ids.dto.js';
import { AdmissionGate } from '../../streams/admission-gate.js';
import { CredentialWatch } from '../../streams/credential-watch.js';
import { Ids } from '../../kernel/ids.js';
import { ChatsService } from '../chats.service.js';
import { ExportQueryDto, ImportQueryDto } from '../dto/imported-chat.dto.js';
import { ChatFilesArchive } from './archive/chat-files-archive.js';
import { NewIds } from './new-ids.js';
import { NDJSON, readLogBody, TAR } from './read-log-body.js';
import { SessionLogExporter } from './session-log-exporter.js';
import { SessionLogImporter } from './session-log-importer.js';
import { ApiAnswer } from '../../http/openapi/answer.js';
import { importedChat } from '../../protocol/wire/chat.js';
import type { ImportedChat } from '../../protocol/wire/chat.js';
import { quotaExceeded } from '../../quotas/quota-exceeded.js';

const LOG = { type: 'string', description: 'One JSON object per line: docs/session-log.md.' };
const BYTES = { type: 'string', format: 'binary' };
const EXAMPLE = [
  '{"type":"session_log","version":1}',
  '{"type":"chat","id":"chat_123","title":"Holiday plans","agent":null,"head_interaction_id":null,"created_at":"2026-01-15T10:00:00.000Z","updated_at":"2026-01-15T10:00:00.000Z","metadata":{}}',
  '{"type":"end"}',
  '',
].join('\n');

@ApiTags('chats')
@Access('chat')
@Controller('chats')
export class SessionLogController {
  private readonly logger = new Logger(SessionLogController.name);

  constructor(
    private readonly exporter: SessionLogExporter,
    private readonly importer: SessionLogImporter,
    private readonly chats: ChatsService,
    private readonly ids: Ids,
    private readonly intake: AdmissionGate,
    private readonly audit: AuditTrail,
    private readonly archive: ChatFilesArchive,
    private readonly credentials: CredentialWatch,
  ) {}

  @Get(':chat_id/log')
  @ApiOperation({ summary: 'The session log of a chat: all branches, every record, one per line' })
  @ApiResponse({ status: 200, content: { [NDJSON]: { schema: LOG }, [TAR]: { schema: BYTES } } })
  @ApiResponse({ status: 404 })
  async export(
    @Caller() caller: Principal,
    @Param() { chat_id }: ChatIdDto,
    @Query() { files }: ExportQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    const [type, extension] = files ? [TAR, 'tar'] : [NDJSON, 'ndjson'];
    const content = await (files ? this.archive : this.exporter).open(caller, chat_id);
    await this.audit.note(caller, 'chat.exported', { chat_id });
    this.credentials.cutOff(response);
    response.attachment(`${chat_id}.${extension}`).type(type);
    // A failure from here on destroys the connection, so that the client notices the truncation.
    await pipeline(content, response).catch((err: unknown) => {
      const message = `The session log of ${chat_id} was not sent whole.`;
      if (hasLeft(err)) this.logger.debug(message);
      else this.logger.warn({ message, err });
    });
  }

  @Post('import')
  @Access('admin')
  @ApiOperation({
    summary: 'Import a session log as a new chat',
    description:
      'Everything gets a new id. Faulty lines are reported and skipped; an interaction that had not ended arrives CANCELLED.',
  })
  @ApiConsumes(NDJSON, TAR)
  @ApiBody({ schema: { ...LOG, example: EXAMPLE } })
  @ApiAnswer(201, importedChat)
  @ApiResponse({ status: 400, description: 'It has nothing to import.' })
  @ApiResponse({ status: 408, description: 'No byte came for a minute.' })
  @ApiResponse({ status: 409, description: 'The id is taken.' })
  @ApiResponse({ status: 413, description: 'Larger than IMPORT_MAX_BYTES.' })
  @ApiResponse({ status: 415, description: 'The body is neither of these.' })
  @ApiAnswer(429, quotaExceeded, { description: 'QUOTA_BYTES is used up.' })
  @ApiResponse({
    status: 503,
    description: 'Another log is being imported, or the server is shutting down.',
  })
  async import(
    @Caller() caller: Principal,
    @Req() request: Request,
    @Query() query: ImportQueryDto,
  ): Promise<ImportedChat> {
    this.intake.requireOpen();
    const chat_id = query.chat_id ?? this.ids.make('chat');
    const ids = new NewIds(this.ids, chat_id);
    const report = await readLogBody(request, (body, type) =>
      (type === TAR ? this.archive : this.importer).import({ caller, ids, body }),
    );
    const { interactions, records } = report;
    await this.audit.note(caller, 'chat.imported', { chat_id, detail: { interactions, records } });
    return { ...(await this.chats.get(caller, chat_id, {})), import: report };
  }
}

/** True if the connection was closed, by the client or by a limit. */
function hasLeft(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE';
}
