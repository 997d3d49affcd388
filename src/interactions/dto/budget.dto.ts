import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsNumber, IsOptional, IsPositive, Max, Min } from 'class-validator';
import type { Budget } from '../../protocol/budget.js';

const MAX = 1_000_000_000_000;

/** What an interaction may use, with all its agents. The server's own limits hold besides. */
export class BudgetDto implements Budget {
  @ApiPropertyOptional({ description: 'Of input and output together.', minimum: 1, maximum: MAX })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX)
  tokens?: number;

  @ApiPropertyOptional({ minimum: 0, maximum: 1_000_000 })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(1_000_000)
  tool_calls?: number;

  @ApiPropertyOptional({
    description: 'Milliseconds of work: waiting for people does not count.',
    minimum: 1,
    maximum: MAX,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX)
  wall_time_ms?: number;

  @ApiPropertyOptional({
    description: "US dollars; the server has to know the model's price (MODEL_PRICES).",
    maximum: 1_000_000,
  })
  @IsOptional()
  @IsNumber()
  @IsPositive()
  @Max(1_000_000)
  cost_usd?: number;
}
