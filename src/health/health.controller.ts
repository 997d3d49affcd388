import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Intake } from '../http/intake.js';
import { NeedsNoStore } from '../http/needs-no-store.js';
import { ProblemDto } from '../http/problem.dto.js';
import { AppError } from '../kernel/app-error.js';
import { StoreWatch } from '../log/store-watch.js';
import { Sandbox } from '../workspace/sandbox/sandbox.js';
import type { SandboxKind } from '../workspace/sandbox/sandbox.js';

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

class SandboxDto {
  @ApiProperty({ enum: ['bubblewrap', 'none'] })
  readonly kind: SandboxKind;

  @ApiProperty({ example: 'bubblewrap: only the workspace is writable, no network' })
  readonly description: string;
}

class ReadyDto extends HealthDto {
  @ApiProperty({ type: SandboxDto, description: 'What commands are confined by.' })
  readonly sandbox: SandboxDto;
}

@ApiTags('operations')
@NeedsNoStore()
@Controller('health')
export class HealthController {
  constructor(
    private readonly watch: StoreWatch,
    private readonly sandbox: Sandbox,
    private readonly intake: Intake,
  ) {}

  @Get('live')
  @ApiOperation({ summary: 'The process answers' })
  @ApiResponse({ status: 200, type: HealthDto })
  live(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    summary:
      'The process can serve: it is not being stopped, its store answers and takes what is written',
  })
  @ApiResponse({ status: 200, type: ReadyDto })
  @ApiResponse({ status: 503, type: NotReadyDto })
  ready(): ReadyDto {
    this.intake.requireOpen();
    const { awaySince, name: dependency } = this.watch;
    const { kind, description } = this.sandbox;
    if (!awaySince) return { status: 'ok', sandbox: { kind, description } };
    const since = awaySince.toISOString();
    const detail = `The ${dependency} can't be used since ${since}. The server's log says why.`;
    throw new AppError('unavailable', 'not_ready', detail, { extra: { dependency, since } });
  }
}
