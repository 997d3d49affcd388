import type { Authenticated } from '../../../src/auth/caller.decorator.js';
import { LOCAL_PRINCIPAL } from '../../../src/auth/principal.js';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  MethodNotAllowedException,
  Module,
  Param,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import type { Type as Class } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiProperty, ApiResponse } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsObject, IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import type { Response } from 'express';
import { Authentication } from '../../../src/auth/authentication.js';
import { Config } from '../../../src/config/config.js';
import { loadConfig } from '../../../src/config/load-config.js';
import type { Environment } from '../../../src/config/load-config.js';
import { AppLogger } from '../../../src/logging/app-logger.js';
import { configureApp } from '../../../src/app/configure-app.js';
import { Clock, SystemClock } from '../../../src/kernel/clock.js';
import { ResponseLimits } from '../../../src/streams/response-limits.js';
import { Telemetry } from '../../../src/telemetry/telemetry.js';
import { AppError } from '../../../src/kernel/app-error.js';
import type { ErrorKind } from '../../../src/kernel/app-error.js';

class PartDto {
  @IsString()
  name: string;
}

class ThingDto {
  @ApiProperty()
  @IsString()
  @MaxLength(20)
  name: string;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => PartDto)
  parts?: PartDto[];

  @IsOptional()
  @IsString({ each: true })
  tags?: string[];

  @IsOptional()
  @IsObject()
  metadata?: Record<string, unknown>;
}

class PageDto {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  limit?: number;
}

@Controller()
class ThingsController {
  @Post('things')
  create(@Body() thing: ThingDto): ThingDto {
    return thing;
  }

  @Post('nothing')
  @HttpCode(204)
  nothing(): void {}

  @Post('begin')
  @ApiResponse({ status: 200, content: { 'text/event-stream': { schema: { type: 'string' } } } })
  @ApiResponse({ status: 202, type: ThingDto })
  begin(): void {}

  @Get('things')
  list(@Query() page: PageDto): PageDto {
    return page;
  }

  @Get('things/:id')
  get(@Param('id') id: string): { id: string } {
    return { id };
  }

  @Get('faults/:kind')
  fail(@Param('kind') kind: ErrorKind): never {
    throw new AppError(kind, 'some_code', 'Do this instead', {
      cause: new Error('the cause'),
      errors: [{ field: 'a.0', message: 'is odd' }],
      extra: { other: 1, status: 200 },
    });
  }

  @Get('bug')
  bug(): never {
    throw new TypeError('internals of ours');
  }

  @Get('wrong-method')
  wrongMethod(): never {
    throw new MethodNotAllowedException('Only POST');
  }

  @Get('half')
  half(@Res() response: Response): never {
    response.write('half');
    throw new Error('too late');
  }
}

/** Names the user of a request to the application. */
export const USER_HEADER = 'x-user';

export interface TinyApp {
  readonly app: NestExpressApplication;
  /** What was logged, parsed. */
  readonly log: readonly Record<string, unknown>[];
}

/** An application with the server's edges and little behind them. */
export async function startTinyApp(
  env: Environment = {},
  module?: Class,
  clock: Clock = new SystemClock(),
): Promise<TinyApp> {
  const log: Record<string, unknown>[] = [];
  const config = loadConfig({ LOG_LEVEL: 'debug', ...env });
  const logger = new AppLogger(config, (line) => log.push(JSON.parse(line)));
  const options = { logger, bodyParser: false };
  const root = module ?? TinyModule;
  const open = {
    middleware: (request: Authenticated, _response: unknown, next: () => void) => {
      const user_id = request.headers[USER_HEADER] ?? LOCAL_PRINCIPAL.user_id;
      request.principal = { ...LOCAL_PRINCIPAL, user_id: String(user_id) };
      next();
    },
  };
  const app = await NestFactory.create<NestExpressApplication>(
    {
      module: TinyServer,
      imports: [root],
      providers: [
        ResponseLimits,
        Telemetry,
        { provide: Authentication, useValue: open },
        { provide: Config, useValue: config },
        { provide: Clock, useValue: clock },
      ],
    },
    options,
  );
  await configureApp(app, config, logger).listen(0, '127.0.0.1');
  return { app, log };
}

@Module({ controllers: [ThingsController] })
class TinyModule {}

/** Without authentication. */
@Module({})
class TinyServer {}
