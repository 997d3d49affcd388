import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import { AUDIO_FORMATS } from '../audio-provider.js';
import type { AudioFormat } from '../audio-provider.js';

const MAX_TEXT = 4096;

export class RecordingDto {
  @ApiProperty({ type: String, format: 'binary' })
  readonly file: unknown;

  @ApiPropertyOptional({ example: 'en', description: 'ISO 639-1; before the file. Else detected.' })
  readonly language?: string;
}

export class SpeechDto {
  @ApiProperty({ example: 'It is sunny.', maxLength: MAX_TEXT })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_TEXT)
  readonly text: string;

  @ApiPropertyOptional({ example: 'alloy', description: 'Unless given, SPEECH_VOICE.' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(100)
  readonly voice?: string;

  @ApiPropertyOptional({
    enum: AUDIO_FORMATS,
    description: '`mp3` unless given, `wav` of the demo. `pcm`: 16 bits, mono, 24 kHz.',
  })
  @IsOptional()
  @IsIn(AUDIO_FORMATS)
  readonly format?: AudioFormat;
}
