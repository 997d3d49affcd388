import { ApiProperty } from '@nestjs/swagger';
import type { ToolServer } from './core/tool-source.js';

export class ToolServerDto implements ToolServer {
  @ApiProperty({ example: 'files' })
  readonly name: string;

  @ApiProperty({ enum: ['connecting', 'ready', 'unavailable'] })
  readonly state: ToolServer['state'];

  @ApiProperty({ description: 'How many of its tools are offered.' })
  readonly tools: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'What is wrong with some of its tools, or that the server’s log has the reason; null without the scope `operate`.',
  })
  readonly problem: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly since: string;
}

/** Without the reason for an outage: it has addresses, paths and commands in it. */
export function toServerDto(server: ToolServer): ToolServerDto {
  if (server.state !== 'unavailable') return server;
  return { ...server, problem: 'It can’t be reached. The server’s log has the reason.' };
}

/** Without what is wrong with its tools, which is for operators. */
export function withoutProblem(server: ToolServer): ToolServerDto {
  return { ...server, problem: null };
}
