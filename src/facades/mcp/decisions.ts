import { Injectable } from '@nestjs/common';
import { ChatAccess } from '../../access/chat-access.js';
import { ApprovalsService } from '../../approvals/approvals.service.js';
import { ApproveDto, RespondDto } from '../../approvals/dto/decisions.dto.js';
import { InboxService } from '../../approvals/inbox.service.js';
import type { RequestOwner } from '../../approvals/request-errors.js';
import { RequestsService } from '../../approvals/requests.service.js';
import type { Principal } from '../../auth/principal.js';
import { InputPipe } from '../../http/input/input.pipe.js';
import { AppError } from '../../kernel/app-error.js';
import { isObject } from '../../kernel/json/json.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { parseFormId } from './call-state.js';
import { readDecision } from './forms.js';
import type { RpcId } from './message.js';
import type { RequestView } from '../../protocol/wire/request.js';

const PAGE = 200;
/** Another decision was faster, or it is too late: the one that counts is in the log. */
const SETTLED = ['already_processed', 'request_expired', 'request_not_found'];

type Owner = Pick<InteractionRow, 'id' | 'chat_id'>;

/** Forms that came back from clients, as decisions. */
@Injectable()
export class Decisions {
  private readonly pipe = new InputPipe();

  constructor(
    private readonly inbox: InboxService,
    private readonly approvals: ApprovalsService,
    private readonly requests: RequestsService,
    private readonly access: ChatAccess,
  ) {}

  /**
   * Takes the forms that are about open requests, by their ids. Gives the requests that are still
   * open.
   * @throws AppError as `ApprovalsService.decide` and `RequestsService.respond`
   */
  async takeAll(caller: Principal, row: Owner, forms: unknown): Promise<ReadonlySet<string>> {
    const open = new Set<string>();
    for (const request of await this.list(caller, row)) {
      const given = isObject(forms) && Object.hasOwn(forms, request.id) && forms[request.id];
      if (!(await this.settle(caller, request, given))) open.add(request.id);
    }
    return open;
  }

  /**
   * Takes the form that answers a request of the server; one that is settled already is ignored.
   * @throws AppError as `takeAll`
   */
  async take(caller: Principal, id: RpcId, form: unknown): Promise<void> {
    const { interaction_id, request_id } = parseFormId(id) ?? {};
    if (interaction_id === undefined) return;
    const row = await this.access.interactionById(caller, interaction_id).catch(ignoreHidden);
    const open = row ? await this.list(caller, row) : [];
    const request = open.find((each) => each.id === request_id);
    if (request) await this.settle(caller, request, form);
  }

  async open(caller: Principal, row: Owner): Promise<ReadonlySet<string>> {
    return new Set((await this.list(caller, row)).map(({ id }) => id));
  }

  /** False if it is open as before. */
  private async settle(caller: Principal, request: RequestView, form: unknown): Promise<boolean> {
    const { id, kind, chat_id, interaction_id } = request;
    const decision = kind === 'tool' ? undefined : readDecision(kind, form);
    if (!decision) return false;
    const owner = { chat_id, interaction_id };
    const { kind: __, ...fields } = decision;
    try {
      await (decision.kind === 'approval'
        ? this.approve(caller, owner, { approval_id: id, ...fields })
        : this.respond(caller, owner, { request_id: id, ...fields }));
    } catch (error) {
      if (!(error instanceof AppError) || !SETTLED.includes(error.code)) throw error;
    }
    return true;
  }

  private async approve(caller: Principal, owner: RequestOwner, given: object): Promise<void> {
    const type = { type: 'body', metatype: ApproveDto } as const;
    const verdict = (await this.pipe.transform(given, type)) as ApproveDto;
    await this.approvals.decide(caller, owner, verdict);
  }

  private async respond(caller: Principal, owner: RequestOwner, given: object): Promise<void> {
    const type = { type: 'body', metatype: RespondDto } as const;
    const answer = (await this.pipe.transform(given, type)) as RespondDto;
    await this.requests.respond(caller, owner, answer);
  }

  private async list(caller: Principal, row: Owner): Promise<readonly RequestView[]> {
    const found: RequestView[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await this.inbox.list(caller, {
        ...{ status: 'pending', limit: PAGE, chat_id: row.chat_id, interaction_id: row.id },
        ...(cursor && { cursor }),
      });
      found.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor);
    return found;
  }
}

function ignoreHidden(error: unknown): undefined {
  if (error instanceof AppError && error.kind === 'not_found') return undefined;
  throw error;
}
