import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import { NeedsNoStore } from '../http/needs-no-store.js';
import { ProblemDto } from '../http/problem.dto.js';
import { AppError } from '../kernel/app-error.js';
import { StoreWatch } from '../log/store-watch.js';

class HealthDto {
  @ApiProperty({ example: 'ok' })
  readonly status: string;
}

class NotReadyDto extends ProblemDto {
  @ApiProperty({ example: 'database', description: 'What can’t be used.' })
  readonly dependency: string;

  @ApiProperty({ format: 'date-time' })
  readonly since: string;
}

@ApiTags('operations')
@NeedsNoStore()
@Controller('health')
export class HealthController {
  constructor(private readonly watch: StoreWatch) {}

  @Get('live')
  @ApiOperation({ summary: 'The process answers' })
  @ApiResponse({ status: 200, type: HealthDto })
  live(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ summary: 'The process can serve: its store answers, and takes what is written' })
  @ApiResponse({ status: 200, type: HealthDto })
  @ApiResponse({ status: 503, type: NotReadyDto })
  ready(): HealthDto {
    const { awaySince, name: dependency } = this.watch;
    if (!awaySince) return { status: 'ok' };
    const since = awaySince.toISOString();
    const detail = `The ${dependency} can't be used since ${since}. The server's log says why.`;
    throw new AppError('unavailable', 'not_ready', detail, { extra: { dependency, since } });
  }
}
