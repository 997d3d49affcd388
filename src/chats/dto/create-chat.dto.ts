import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsObject, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { VISIBILITIES } from '../../protocol/records/fields.js';
import type { Visibility } from '../../protocol/interaction.js';
import { MaxJsonLength } from '../../http/input/max-json-length.js';

export class CreateChatDto {
  @ApiPropertyOptional({
    description: 'An id of your own: 1 to 64 letters, digits, _ or -; `chat_123`, say.',
  })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'id must be 1 to 64 letters, digits, _ or -' })
  id?: string;

  @ApiPropertyOptional({ example: 'Holiday plans' })
  @IsOptional()
  @IsString()
  @MaxLength(500)
  title?: string;

  @ApiPropertyOptional({ description: 'The kind of agent for its interactions.', example: 'react' })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  agent?: string;

  @ApiPropertyOptional({
    enum: VISIBILITIES,
    description: '`private`: for its owner; `tenant`: for all of the tenant. Admins see both.',
    example: 'private',
  })
  @IsOptional()
  @IsIn(VISIBILITIES)
  visibility?: Visibility;

  @ApiPropertyOptional({
    type: Object,
    description: 'Any JSON object; at most 16,384 characters.',
    example: {},
  })
  @IsOptional()
  @IsObject()
  @MaxJsonLength(16_384)
  metadata?: Record<string, unknown>;
}
