import { ApiProperty } from '@nestjs/swagger';
import type { ToolServer } from './tool-source.js';

export class ToolServerDto implements ToolServer {
  @ApiProperty({ example: 'files' })
  readonly name: string;

  @ApiProperty({ enum: ['connecting', 'ready', 'unavailable'] })
  readonly state: ToolServer['state'];

  @ApiProperty({ description: 'How many of its tools are offered.' })
  readonly tools: number;

  @ApiProperty({ type: String, nullable: true })
  readonly problem: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly since: string;
}
