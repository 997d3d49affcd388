import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { PageQueryDto } from '../../http/input/page-query.dto.js';
import type { FileInfo } from '../../protocol/file.js';

export class FileDto implements FileInfo {
  @ApiProperty({ example: 'file_0199c0de-0000-7000-8000-000000000000' })
  readonly id: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'chat_123',
    description: 'null: it belongs to its owner alone.',
  })
  readonly chat_id: string | null;

  @ApiProperty({ example: 'report.pdf' })
  readonly filename: string;

  @ApiProperty({
    example: 'application/pdf',
    description: 'Found out from its content, not what the client said.',
  })
  readonly mime_type: string;

  @ApiProperty({ example: 48_213 })
  readonly size_bytes: number;

  @ApiProperty({ description: 'SHA-256 of its bytes, in hex.' })
  readonly sha256: string;

  @ApiProperty({ format: 'date-time' })
  readonly created_at: string;

  @ApiProperty({ description: 'The user who added it.' })
  readonly owner: string;
}

export class FileListDto {
  @ApiProperty({ type: [FileDto], description: 'Newest first.' })
  readonly items: readonly FileDto[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page.' })
  readonly next_cursor: string | null;
}

export class FileUrlDto {
  @ApiProperty({
    description:
      'Gives the bytes without a credential: absolute, or a path of this server, which works once.',
  })
  readonly url: string;

  @ApiProperty({ format: 'date-time' })
  readonly expires_at: string;
}

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const RULE = { message: '$property must be 1 to 64 letters, digits, _ or -' };

export class ListFilesQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    example: 'chat_123',
    description: 'Those of this chat; else of all chats that you see, and your own.',
  })
  @IsOptional()
  @Matches(ID, RULE)
  chat_id?: string;
}

export class FileIdDto {
  @ApiProperty({ example: 'file_0199c0de-0000-7000-8000-000000000000' })
  @Matches(ID, RULE)
  id: string;
}

/** The form of an upload, for its description only: it is read as it arrives. */
export class UploadFileDto {
  @ApiProperty({ type: 'string', format: 'binary', description: 'With a filename.' })
  file: unknown;

  @ApiPropertyOptional({
    example: 'chat_123',
    description: 'The chat that it belongs to, best before the file; else it is yours alone.',
  })
  chat_id?: string;
}
