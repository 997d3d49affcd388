import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { ProblemDto } from '../../http/errors/problem.dto.js';
import { UsageQueryDto, UsageSumsDto } from './dto/usage.dto.js';
import { UsageReport } from './usage-report.js';

@ApiTags('operations')
@Access('operate')
@Controller('usage')
export class UsageController {
  constructor(private readonly report: UsageReport) {}

  @Get()
  @ApiOperation({
    summary: 'Tokens and cost by day, model or user',
    description:
      'Of the interactions that were started on these days, those that run and those of deleted chats included. Chats that were imported count nowhere.',
  })
  @ApiResponse({ status: 200, type: UsageSumsDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  sums(@Caller() caller: Principal, @Query() query: UsageQueryDto): Promise<UsageSumsDto> {
    return this.report.sums(caller, query);
  }
}
