import { Injectable } from '@nestjs/common';
import { ApprovalsService } from '../../../approvals/approvals.service.js';
import { ApproveDto, RespondDto, ToolResultDto } from '../../../approvals/dto/decisions.dto.js';
import { InboxService } from '../../../approvals/inbox.service.js';
import type { RequestOwner } from '../../../approvals/request-errors.js';
import { RequestsService } from '../../../approvals/requests.service.js';
import type { Principal } from '../../../auth/principal.js';
import { InputPipe } from '../../../http/input/input.pipe.js';
import { interruptsOf } from './interrupt.js';
import type { InterruptedBy, OpenRequest } from './interrupt.js';
import { settlingsOf } from './read-resume.js';
import type { InterruptAnswer, Settling } from './read-resume.js';

const PAGE = 200;
/** The bodies with which the API settles requests, by kind of request. */
const BODIES = { approval: ApproveDto, input: RespondDto, tool: ToolResultDto };

/** The open requests of an interaction. */
export interface Waiting {
  readonly interrupts: readonly InterruptedBy[];
  /** The ids of its open requests. */
  readonly open: ReadonlySet<string>;
}

/** Interrupts that are open, and the answers to them. */
@Injectable()
export class Interrupts {
  private readonly pipe = new InputPipe();

  constructor(
    private readonly inbox: InboxService,
    private readonly approvals: ApprovalsService,
    private readonly requests: RequestsService,
  ) {}

  async of(caller: Principal, owner: RequestOwner): Promise<Waiting> {
    const found: OpenRequest[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { ...owner, status: 'pending' as const, limit: PAGE };
      const page = await this.inbox.list(caller, { ...query, ...(cursor && { cursor }) });
      found.push(...page.items.map(({ id, kind, ...fields }) => ({ id, kind, fields })));
      cursor = page.next_cursor;
    } while (cursor);
    return { interrupts: interruptsOf(found), open: new Set(found.map(({ id }) => id)) };
  }

  /** @throws AppError as `settlingsOf`, `ApprovalsService.decide` and `RequestsService` */
  async settle(
    caller: Principal,
    owner: RequestOwner,
    answers: readonly InterruptAnswer[],
  ): Promise<void> {
    const settlings = answers.flatMap(settlingsOf);
    for (const each of settlings) await this.check(each); // before the first counts
    for (const each of settlings) await this.settleOne(caller, owner, each);
  }

  /** @throws AppError `invalid_body` (400) */
  private async check({ kind, ...given }: Settling): Promise<void> {
    await this.pipe.transform(given, { type: 'body', metatype: BODIES[kind] });
  }

  private async settleOne(caller: Principal, owner: RequestOwner, given: Settling): Promise<void> {
    switch (given.kind) {
      case 'approval':
        return void (await this.approvals.decide(caller, owner, given));
      case 'input':
        return this.requests.respond(caller, owner, given);
      case 'tool':
        return this.requests.takeToolResult(caller, owner, given);
    }
  }
}
