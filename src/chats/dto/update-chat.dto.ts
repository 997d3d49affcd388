import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { UnlessAbsent } from '../../http/input/unless-absent.js';
import { ChatSettingsDto } from '../../interactions/dto/chat-settings.dto.js';
import { VISIBILITIES } from '../../protocol/wire/fields.js';
import type { Visibility } from '../../protocol/interaction.js';
import type { UpdateChat } from '../chat-request.js';
import { MaxJsonLength } from '../../http/input/max-json-length.js';

export class UpdateChatDto implements UpdateChat {
  @ApiPropertyOptional({ type: String, nullable: true, example: 'Holiday plans' })
  @IsOptional()
  @IsString()
  @MaxLength(500)
  title?: string | null;

  @ApiPropertyOptional({ description: 'Switches the active branch to the one that ends here.' })
  @UnlessAbsent()
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, {
    message: 'head_interaction_id must be the id of an interaction',
  })
  head_interaction_id?: string;

  @ApiPropertyOptional({
    enum: VISIBILITIES,
    description: '`private`: for its owner; `tenant`: for all of the tenant. Admins see both.',
    example: 'private',
  })
  @UnlessAbsent()
  @IsIn(VISIBILITIES)
  visibility?: Visibility;

  @ApiPropertyOptional({
    type: ChatSettingsDto,
    description:
      'Changes these settings, for interactions that start from now on; null removes one. The others stay.',
  })
  @UnlessAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => ChatSettingsDto)
  settings?: ChatSettingsDto;

  @ApiPropertyOptional({
    type: Object,
    description: 'Replaces the previous metadata.',
    example: {},
  })
  @UnlessAbsent()
  @IsObject()
  @MaxJsonLength(16_384)
  metadata?: Record<string, unknown>;
}
