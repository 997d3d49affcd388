import { ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import {
  MAX_CONTEXT_MESSAGES,
  MAX_SYSTEM_PROMPT,
  MAX_WORKSPACE,
} from '../../protocol/chat-settings.js';
import { RunOptionsDto } from './run-options.dto.js';

/** `ChatSettings` as clients send them; null: as if it had never been set. */
export class ChatSettingsDto extends PickType(RunOptionsDto, [
  'agent',
  'model',
  'thinking',
  'approval_mode',
  'max_iterations',
  'budget',
]) {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_SYSTEM_PROMPT,
    description: "Replaces the agent's system prompt.",
    example: 'You answer in one sentence.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_SYSTEM_PROMPT)
  system_prompt?: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_WORKSPACE,
    description:
      'Absolute path of the folder that its agents work in, under one of the WORKSPACE_ROOTS. It is read when a tool runs.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_WORKSPACE)
  workspace?: string;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: 1,
    maximum: MAX_CONTEXT_MESSAGES,
    description:
      'The model sees only so many of the last messages: fewer where a call would be split from its results. The message that is being answered is always among them.',
    example: 40,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_CONTEXT_MESSAGES)
  context_messages?: number;
}
