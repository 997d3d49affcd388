import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';

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
