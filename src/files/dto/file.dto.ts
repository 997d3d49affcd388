import { ApiProperty } from '@nestjs/swagger';
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
