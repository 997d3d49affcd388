import { Injectable } from '@nestjs/common';
import { ApprovalsService } from '../../approvals/approvals.service.js';
import { ApproveDto, RespondDto, ToolResultDto } from '../../approvals/dto/decisions.dto.js';
import { InboxService } from '../../approvals/inbox.service.js';
import { RequestsService } from '../../approvals/requests.service.js';
import type { Answer, ClientToolResult } from '../../approvals/requests.service.js';
import type { RequestOwner } from '../../approvals/request-errors.js';
import type { Principal } from '../../auth/principal.js';
import { Redaction } from '../../guardrails/redaction/redaction.js';
import { InputPipe } from '../../http/input/input.pipe.js';
import { AppError } from '../../kernel/app-error.js';
import { isObject } from '../../kernel/json/json.js';
import type { RequestView } from '../../protocol/wire/request.js';

const PAGE = 200;

/** A verdict as a client gives it, not checked. */
export type GivenVerdict = Readonly<Record<string, unknown>>;

/** The result of a call that the client ran, or its answer to a question. */
export interface GivenOutput {
  readonly tool_call_id: string;
  readonly text: string;
  readonly is_error: boolean;
}

/** The requests of an interaction, as clients of other protocols decide them. */
@Injectable()
export class RequestDecisions {
  private readonly pipe = new InputPipe();

  constructor(
    private readonly inbox: InboxService,
    private readonly approvals: ApprovalsService,
    private readonly requests: RequestsService,
    private readonly redaction: Redaction,
  ) {}

  /** The ids of the requests of an interaction that are open. */
  async open(caller: Principal, owner: RequestOwner): Promise<ReadonlySet<string>> {
    const found = await this.list(caller, owner, 'pending');
    return new Set(found.map(({ id }) => id));
  }

  /** All of an interaction, the oldest first. */
  async list(
    caller: Principal,
    { chat_id, interaction_id }: RequestOwner,
    status: 'pending' | 'all',
  ): Promise<RequestView[]> {
    const found: RequestView[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { chat_id, interaction_id, status, limit: PAGE, ...(cursor && { cursor }) };
      const page = await this.inbox.list(caller, query);
      found.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor);
    return found;
  }

  /** @throws AppError `invalid_body` (400) */
  async readVerdict(given: GivenVerdict): Promise<ApproveDto> {
    const metadata = { type: 'body', metatype: ApproveDto } as const;
    return (await this.pipe.transform(given, metadata)) as ApproveDto;
  }

  /**
   * A verdict that was given before is taken again: clients send it until they have the result.
   * @throws AppError as `ApprovalsService.decide`
   */
  async decide(caller: Principal, owner: RequestOwner, verdict: ApproveDto): Promise<void> {
    try {
      await this.approvals.decide(caller, owner, verdict);
    } catch (error) {
      if (decisionIn(error)?.['approved'] !== verdict.approved) throw error;
    }
  }

  /**
   * Answers a question, declines it with an error, or gives the result of a call.
   * @throws AppError `invalid_body` (400), and as `RequestsService`
   */
  async settle(
    caller: Principal,
    owner: RequestOwner,
    { request, output }: { readonly request: RequestView; readonly output: GivenOutput },
  ): Promise<void> {
    const { text, is_error } = output;
    if (request.kind === 'tool') {
      const tool_call_id = String(request['tool_call_id']);
      return this.giveResult(caller, owner, { tool_call_id, tool_output: text, is_error });
    }
    return this.respond(caller, owner, { request_id: request.id, answer: is_error ? null : text });
  }

  /** @throws AppError `invalid_body` (400), and as `RequestsService.respond` */
  async respond(caller: Principal, owner: RequestOwner, given: Answer): Promise<void> {
    const type = { type: 'body', metatype: RespondDto } as const;
    const answer = (await this.pipe.transform(given, type)) as RespondDto;
    return this.requests.respond(caller, owner, answer);
  }

  /**
   * A result that was given before is taken again.
   * @throws AppError `invalid_body` (400), and as `RequestsService.takeToolResult`
   */
  async giveResult(caller: Principal, owner: RequestOwner, given: ClientToolResult): Promise<void> {
    const type = { type: 'body', metatype: ToolResultDto } as const;
    const result = (await this.pipe.transform(given, type)) as ToolResultDto;
    try {
      await this.requests.takeToolResult(caller, owner, result);
    } catch (error) {
      if (!decisionIn(error) || !(await this.wasGiven(caller, owner, result))) throw error;
    }
  }

  /** Compared as it is saved. */
  private async wasGiven(
    caller: Principal,
    owner: RequestOwner,
    { tool_call_id, is_error = false, ...given }: ClientToolResult,
  ): Promise<boolean> {
    const found = await this.list(caller, owner, 'all');
    const { tool_output } = await this.redaction.of(given, 'tool_output');
    return found.some(({ settlement, ...request }) => {
      if (request['tool_call_id'] !== tool_call_id || settlement?.kind !== 'tool') return false;
      return settlement.tool_output === tool_output && settlement.is_error === is_error;
    });
  }
}

export function isPending({ status }: RequestView): boolean {
  return status === 'pending';
}

/** The decision that counts, if the error contains it. */
function decisionIn(error: unknown): Readonly<Record<string, unknown>> | undefined {
  const decision = error instanceof AppError ? error.extra['decision'] : undefined;
  return isObject(decision) ? decision : undefined;
}
