import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { UsageQueryDto } from './dto/usage.dto.js';
import { UsageReport } from './usage-report.js';
import { ApiAnswer } from '../../http/openapi/answer.js';
import { report } from './reported-sum.js';
import type { Report } from './reported-sum.js';

@ApiTags('operations')
@Access('operate')
@Controller('usage')
export class UsageController {
  constructor(private readonly reports: UsageReport) {}

  @Get()
  @ApiOperation({
    summary: 'Tokens and cost by day, model or user',
    description:
      'Of the interactions that were started on these days, those that run and those of deleted chats included. Chats that were imported count nowhere.',
  })
  @ApiAnswer(200, report)
  @ApiResponse({ status: 400 })
  sums(@Caller() caller: Principal, @Query() query: UsageQueryDto): Promise<Report> {
    return this.reports.sums(caller, query);
  }
}
