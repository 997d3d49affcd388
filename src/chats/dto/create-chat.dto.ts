import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { UnlessAbsent } from '../../http/input/unless-absent.js';
import { VISIBILITIES } from '../../protocol/wire/fields.js';
import type { Visibility } from '../../protocol/interaction.js';
import { ChatSettingsDto } from '../../interactions/dto/chat-settings.dto.js';
import type { Message } from '../../protocol/message.js';
import type { CreateChat } from '../chat-request.js';
import { MAX_MESSAGES, MAX_MESSAGES_LENGTH } from '../check-messages.js';
import { MaxJsonLength } from '../../http/input/max-json-length.js';

export class CreateChatDto implements CreateChat {
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

  @ApiPropertyOptional({
    description: 'The kind of agent for its interactions: short for `settings.agent`.',
    example: 'react',
  })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  agent?: string;

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
    description: 'What its interactions start with unless their message says otherwise.',
  })
  @UnlessAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => ChatSettingsDto)
  settings?: ChatSettingsDto;

  @ApiPropertyOptional({
    type: [Object],
    maxItems: MAX_MESSAGES,
    description:
      'An existing conversation to start from: messages as in `final_agent_state`. Each tool call has its result directly after its message. At most 524,288 characters of JSON.',
    example: [
      { role: 'user', content: 'My name is Ann.' },
      { role: 'assistant', content: 'Hello Ann.' },
    ],
  })
  @UnlessAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_MESSAGES)
  @MaxJsonLength(MAX_MESSAGES_LENGTH)
  messages?: Message[];

  @ApiPropertyOptional({
    type: Object,
    description: 'Any JSON object; at most 16,384 characters.',
    example: {},
  })
  @UnlessAbsent()
  @IsObject()
  @MaxJsonLength(16_384)
  metadata?: Record<string, unknown>;
}
