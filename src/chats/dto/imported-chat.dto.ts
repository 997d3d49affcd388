import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { ChatDto } from './chat.dto.js';

export class ExportQueryDto {
  @ApiPropertyOptional({
    enum: ['include'],
    description: 'An archive (tar) of the log and the files of the chat.',
  })
  @IsOptional()
  @IsIn(['include'])
  files?: 'include';
}

export class ImportQueryDto {
  @ApiPropertyOptional({
    description: 'The id of the new chat, such as the original one; generated unless given.',
    example: 'chat_123',
  })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'chat_id must be 1 to 64 letters, digits, _ or -' })
  chat_id?: string;
}

class ImportProblemDto {
  @ApiProperty({ description: 'Numbered from 1.' })
  readonly line: number;

  @ApiProperty({ example: 'The line is not valid JSON.' })
  readonly message: string;
}

class ImportReportDto {
  @ApiProperty()
  readonly interactions: number;

  @ApiProperty({ description: 'Including those that the import added to end interactions.' })
  readonly records: number;

  @ApiPropertyOptional({ description: 'Of an archive.' })
  readonly files?: number;

  @ApiProperty({
    type: [ImportProblemDto],
    description: 'The first hundred faults.',
  })
  readonly problems: readonly ImportProblemDto[];
}

export class ImportedChatDto extends ChatDto {
  @ApiProperty({ type: ImportReportDto })
  readonly import: ImportReportDto;
}
