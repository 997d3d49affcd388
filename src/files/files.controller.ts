import { Controller, Delete, Get, HttpCode, Logger, Param, Post, Query } from '@nestjs/common';
import { Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../auth/access.decorator.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Config } from '../config/config.js';
import { AdmissionGate } from '../streams/admission-gate.js';
import { CredentialWatch } from '../streams/credential-watch.js';
import { ApiSentFile } from './download/api-sent-file.js';
import { sendFile } from './download/send-file.js';
import { FileIdDto, ListFilesQueryDto, UploadFileDto } from './dto/file.dto.js';
import { FileUrls } from './download/file-urls.js';
import { toFile } from './file-catalog.js';
import { FileContents } from './file-contents.js';
import type { ByteRange } from './file-store.js';
import { FilesService } from './files.service.js';
import { readUpload } from './upload/read-upload.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import { file, fileList, fileUrl } from '../protocol/wire/file.js';
import type { FileInfo, FileList, FileUrl } from '../protocol/wire/file.js';
import { quotaExceeded } from '../quotas/quota-exceeded.js';
import { UploadService } from './upload.service.js';

const ANY_TYPE = 'application/octet-stream';

@ApiTags('files')
@Access('chat')
@Controller('files')
export class FilesController {
  private readonly logger = new Logger(FilesController.name);

  constructor(
    private readonly uploads: UploadService,
    private readonly files: FilesService,
    private readonly contents: FileContents,
    private readonly urls: FileUrls,
    private readonly gate: AdmissionGate,
    private readonly credentials: CredentialWatch,
    private readonly config: Config,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'Upload a file',
    description:
      'It is stored as it arrives. Its type is found out from its content. In Swagger, choose a file first: Execute does nothing without one.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: UploadFileDto })
  @ApiAnswer(201, file)
  @ApiResponse({ status: 400, description: 'The form is not as described.' })
  @ApiResponse({ status: 404 })
  @ApiResponse({ status: 408, description: 'No byte came for a minute.' })
  @ApiResponse({ status: 413, description: 'Larger than FILE_MAX_BYTES.' })
  @ApiResponse({ status: 415, description: 'The body is not a form.' })
  @ApiAnswer(429, quotaExceeded, { description: 'QUOTA_BYTES is used up.' })
  @ApiResponse({ status: 503, description: 'Files can’t be stored now.' })
  upload(@Caller() caller: Principal, @Req() request: Request): Promise<FileInfo> {
    this.gate.requireOpen();
    const form = {
      limit: this.config.fileMaxBytes,
      limitedBy: 'FILE_MAX_BYTES' as const,
      fields: ['chat_id'],
    };
    return this.uploads.upload(caller, {
      expected: Number(request.headers['content-length'] ?? 0),
      read: (take) => readUpload(request, { ...form, take }),
    });
  }

  @Get()
  @ApiOperation({ summary: 'List files, newest first' })
  @ApiAnswer(200, fileList)
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 404 })
  list(@Caller() caller: Principal, @Query() query: ListFilesQueryDto): Promise<FileList> {
    return this.files.list(caller, query);
  }

  @Get(':id')
  @ApiOperation({ summary: 'A file, without its content' })
  @ApiAnswer(200, file)
  @ApiResponse({ status: 404 })
  async get(@Caller() caller: Principal, @Param() { id }: FileIdDto): Promise<FileInfo> {
    return toFile(await this.files.find(caller, id));
  }

  @Get(':id/content')
  @ApiOperation({
    summary: 'The content of a file',
    description: 'HTML, SVG and whatever else could run scripts are sent as attachments.',
  })
  @ApiSentFile(ANY_TYPE)
  @ApiResponse({ status: 503, description: 'Files can’t be read now.' })
  async content(
    @Caller() caller: Principal,
    @Param() { id }: FileIdDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.files.find(caller, id);
    this.credentials.cutOff(response);
    const open = (range?: ByteRange) => this.contents.open(found, range);
    await sendFile({ request, response }, found, open).catch((err: unknown) => {
      if (!response.headersSent) throw err;
      // The connection is destroyed, so that the client notices.
      this.logger.debug({ message: `The file ${id} was not sent whole.`, err });
    });
  }

  @Get(':id/url')
  @ApiOperation({
    summary: 'A URL for the content of a file, for clients that can’t send headers',
    description: 'It works without a credential, for a minute.',
  })
  @ApiAnswer(200, fileUrl)
  @ApiResponse({ status: 404 })
  @ApiResponse({ status: 429, description: 'You have too many unused ones.' })
  async url(
    @Caller() caller: Principal,
    @Param() { id }: FileIdDto,
    @Req() { baseUrl }: Request,
  ): Promise<FileUrl> {
    const { url, expires_at } = await this.urls.make(caller, await this.files.find(caller, id));
    return { url: url.startsWith('/') ? baseUrl + url : url, expires_at };
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a file' })
  @ApiResponse({ status: 204 })
  @ApiResponse({ status: 404 })
  async delete(@Caller() caller: Principal, @Param() { id }: FileIdDto): Promise<void> {
    await this.files.delete(caller, id);
  }
}
