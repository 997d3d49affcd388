import { Injectable } from '@nestjs/common';
import { requestNotFound } from '../../approvals/request-errors.js';
import type { RequestOwner } from '../../approvals/request-errors.js';
import type { ApproveDto } from '../../approvals/dto/decisions.dto.js';
import type { Principal } from '../../auth/principal.js';
import { isObject } from '../../kernel/json/json.js';
import { RequestDecisions, isPending } from '../base/request-decisions.js';
import type { GivenOutput } from '../base/request-decisions.js';
import type { Json } from './ag-ui-event.js';
import { invalid, resultOf } from './read-input.js';
import type { ResumeEntry, RunRequest } from './read-input.js';
import type { RequestView } from '../../protocol/wire/request.js';

/** A request, with what the client says to it. */
type Decision =
  | { readonly verdict: ApproveDto }
  | { readonly request: RequestView; readonly output: GivenOutput };

/** Settles requests with the answers to interrupts and the results of tools of the client. */
@Injectable()
export class Resumption {
  constructor(private readonly requests: RequestDecisions) {}

  /**
   * Everything is read before the first of it counts. The same answer may be given again.
   * @throws AppError `request_not_found` (404), and as `RequestDecisions`
   */
  async take(caller: Principal, owner: RequestOwner, asked: RunRequest): Promise<void> {
    const found = await this.requests.list(caller, owner, 'all');
    const decisions: Decision[] = [];
    for (const [index, entry] of asked.resume.entries())
      decisions.push(await this.read(entry, found, { owner, field: `resume.${index}.payload` }));
    for (const sent of asked.results) {
      const request = found.find((each) => each.kind === 'tool' && isOf(each, sent.toolCallId));
      if (!request || !isPending(request)) continue; // clients send what was taken before
      const output = { tool_call_id: String(sent.toolCallId), ...resultOf(sent) };
      decisions.push({ request, output });
    }
    for (const each of decisions)
      if ('verdict' in each) await this.requests.decide(caller, owner, each.verdict);
      else if (!isAnsweredAs(each)) await this.requests.settle(caller, owner, each);
  }

  private async read(
    entry: ResumeEntry,
    found: readonly RequestView[],
    { owner, field }: { readonly owner: RequestOwner; readonly field: string },
  ): Promise<Decision> {
    const { interruptId: id } = entry;
    const request = found.find((each) => each.id === id);
    if (!request || request.kind === 'tool') throw requestNotFound(id.slice(0, 100), owner);
    if (request.kind === 'input') {
      const answer = readAnswer(entry, field);
      const output = { tool_call_id: id, text: answer ?? '', is_error: answer === null };
      return { request, output };
    }
    return { verdict: await this.requests.readVerdict(readVerdict(entry, field)) };
  }
}

/** `{approved, editedArgs?, reason?, remember?}`; true and false stand for it. */
function readVerdict({ interruptId, status, payload }: ResumeEntry, field: string): Json {
  const given = isObject(payload) ? payload : { approved: payload };
  const { approved, editedArgs: modified_input, reason, remember } = given;
  const more = { ...(reason !== undefined && { reason }), ...(remember ? { remember } : {}) };
  const approval_id = interruptId;
  if (status === 'cancelled') return { approval_id, approved: false, ...more };
  if (typeof approved !== 'boolean') throw invalid(field, 'needs `approved`, true or false');
  const edited = modified_input !== undefined && modified_input !== null && { modified_input };
  return { approval_id, approved, ...more, ...edited };
}

/** A text, or `{answer}`; null declines to answer. */
function readAnswer({ status, payload }: ResumeEntry, field: string): string | null {
  if (status === 'cancelled') return null;
  const answer = isObject(payload) ? payload['answer'] : payload;
  if (typeof answer === 'string' || answer === null) return answer;
  throw invalid(field, 'needs `answer`, a text');
}

function isOf(request: RequestView, call: string | undefined): boolean {
  return call !== undefined && request['tool_call_id'] === call;
}

/** True if the question was answered so before. */
function isAnsweredAs({ request, output }: Extract<Decision, { request: unknown }>): boolean {
  const { settlement } = request;
  if (settlement?.kind !== 'input') return false;
  return settlement.answer === (output.is_error ? null : output.text);
}
