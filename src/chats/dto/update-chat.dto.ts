import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsObject, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { VISIBILITIES } from '../../protocol/records/fields.js';
import type { Visibility } from '../../protocol/interaction.js';
import { MaxJsonLength } from '../../http/input/max-json-length.js';

export class UpdateChatDto {
  @ApiPropertyOptional({ type: String, nullable: true, example: 'Holiday plans' })
  @IsOptional()
  @IsString()
  @MaxLength(500)
  title?: string | null;

  @ApiPropertyOptional({ description: 'Switches the active branch to the one that ends here.' })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, {
    message: 'head_interaction_id must be the id of an interaction',
  })
  head_interaction_id?: string;

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
    description: 'Replaces the previous metadata.',
    example: {},
  })
  @IsOptional()
  @IsObject()
  @MaxJsonLength(16_384)
  metadata?: Record<string, unknown>;
}
