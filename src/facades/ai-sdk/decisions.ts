import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import { AppError } from '../../kernel/app-error.js';
import { RequestDecisions } from '../base/request-decisions.js';
import type { GivenOutput } from '../base/request-decisions.js';
import type { AskedContinuation } from './to-start.js';
import type { RequestView } from '../../protocol/wire/request.js';

/** Settles the requests of an interaction as its client has decided. */
@Injectable()
export class Decisions {
  constructor(private readonly requests: RequestDecisions) {}

  /**
   * Gives the requests that are still open. A verdict that was given before is taken again.
   * @throws AppError as `RequestDecisions.decide` and `settle`
   */
  async take(caller: Principal, asked: AskedContinuation): Promise<ReadonlySet<string>> {
    const { chat_id, interaction_id, outputs, verdicts } = asked;
    const owner = { chat_id, interaction_id };
    const found = await this.requests.list(caller, owner, 'pending');
    const open = new Map(found.map((each) => [each.id, each]));
    for (const given of verdicts) {
      const verdict = await this.requests.readVerdict(given);
      await this.requests.decide(caller, owner, verdict);
      open.delete(verdict.approval_id);
    }
    for (const request of [...open.values()]) {
      const output = outputs.find((each) => isAbout(request, each));
      if (!output) continue;
      await this.requests.settle(caller, owner, { request, output });
      open.delete(request.id);
    }
    return new Set(open.keys());
  }
}

/** @throws AppError `already_ended` (409) */
export function answerEnded(): AppError {
  const message = 'The answer is complete, so there is nothing to continue. Send a message.';
  return new AppError('conflict', 'already_ended', message);
}

/** Questions of an agent's own code have a call of their own, named as the request. */
function isAbout(request: RequestView, { tool_call_id }: GivenOutput): boolean {
  if (request.kind === 'approval') return false;
  return request['tool_call_id'] === tool_call_id || request.id === tool_call_id;
}
