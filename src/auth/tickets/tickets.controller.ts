import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Caller } from '../caller.decorator.js';
import type { Principal } from '../principal.js';
import { StreamTickets } from './stream-tickets.js';
import { Access } from '../access.decorator.js';
import { CreateTicketDto } from './dto/ticket.dto.js';
import { issuedTicket } from './issued-ticket.js';
import type { IssuedTicket } from './issued-ticket.js';
import { ApiAnswer } from '../../http/openapi/answer.js';

@ApiTags('access')
@Access('chat')
@Controller('stream-tickets')
export class TicketsController {
  constructor(private readonly tickets: StreamTickets) {}

  @Post()
  @ApiOperation({
    summary: 'Get a ticket for one GET of a stream, for clients that can’t send headers',
    description:
      'As `EventSource`: open the path with `?ticket=`, once, within 60 s. Other query parameters may be added. Only event streams and contents of files take tickets.',
  })
  @ApiAnswer(201, issuedTicket)
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 429, description: 'You have too many unused ones.' })
  create(
    @Caller() caller: Principal,
    @Body() { path }: CreateTicketDto,
    @Req() { baseUrl }: Request,
  ): Promise<IssuedTicket> {
    const whole = path.split('?', 1)[0]!;
    return this.tickets.issue(
      whole.startsWith(`${baseUrl}/`) ? whole.slice(baseUrl.length) : whole,
      caller,
    );
  }
}
