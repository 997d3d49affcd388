import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ProblemDto } from '../http/problem.dto.js';
import { AppError } from '../kernel/app-error.js';
import { InteractionStore } from '../log/interaction-store.js';

class HealthDto {
  @ApiProperty({ example: 'ok' })
  readonly status: string;
}

@ApiTags('operations')
@Controller('health')
export class HealthController {
  constructor(private readonly store: InteractionStore) {}

  @Get('live')
  @ApiOperation({ summary: 'The process answers' })
  @ApiResponse({ status: 200, type: HealthDto })
  live(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ summary: 'The process can serve: its store answers' })
  @ApiResponse({ status: 200, type: HealthDto })
  @ApiResponse({ status: 503, type: ProblemDto })
  async ready(): Promise<HealthDto> {
    await this.store.ping().catch((cause: unknown) => {
      throw new AppError('unavailable', 'not_ready', 'The store does not answer.', { cause });
    });
    return { status: 'ok' };
  }
}
