import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsNotEmpty, IsObject, IsOptional, IsString, Matches, MaxLength } from 'class-validator';

export class CheckDto {
  @ApiProperty({ example: 'bash' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  tool_name: string;

  @ApiProperty({ type: Object, example: { command: 'git log; rm -rf x' } })
  @IsObject()
  tool_input: Record<string, unknown>;

  @ApiPropertyOptional({ description: 'Its session rules apply, too.' })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'chat_id must be 1 to 64 letters, digits, _ or -' })
  chat_id?: string;

  @ApiPropertyOptional({ description: 'A type whose agent rules apply, too.', example: 'react' })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  agent?: string;
}
