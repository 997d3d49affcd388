import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { PageQueryDto } from '../../http/input/page-query.dto.js';

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
