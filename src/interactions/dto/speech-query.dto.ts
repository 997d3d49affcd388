import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import { JOINABLE_FORMATS } from '../../audio/speech/joined-speech.js';
import type { JoinableFormat } from '../../audio/speech/joined-speech.js';

export class SpeechQueryDto {
  @ApiPropertyOptional({ example: 'alloy', description: 'Unless given, SPEECH_VOICE.' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(100)
  readonly voice?: string;

  @ApiPropertyOptional({
    enum: JOINABLE_FORMATS,
    description: '`mp3` unless given, `wav` of the demo. `pcm`: 16 bits, mono, 24 kHz.',
  })
  @IsOptional()
  @IsIn(JOINABLE_FORMATS)
  readonly format?: JoinableFormat;
}
