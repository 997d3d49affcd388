import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InterveneDto } from '../../agents/interventions/dto/intervene.dto.js';
import { InterventionsService } from '../../agents/interventions/interventions.service.js';
import { ApprovalsService } from '../../approvals/approvals.service.js';
import { ApproveDto, RespondDto } from '../../approvals/dto/decisions.dto.js';
import { RequestsService } from '../../approvals/requests.service.js';
import type { Principal } from '../../auth/principal.js';
import { InputPipe } from '../../http/input/input.pipe.js';
import { StartInteractionDto } from '../../interactions/dto/start-interaction.dto.js';
import { StartService } from '../../interactions/start/start.service.js';
import type { RunOptions, StartHeaders } from '../../interactions/start/start-request.js';
import { AppError } from '../../kernel/app-error.js';
import { Ids } from '../../kernel/ids.js';
import { isObject } from '../../kernel/json/json.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import { isFinal, isWaiting } from '../../protocol/interaction.js';
import { invalid } from './message-body.js';
import type { SentMessage } from './message-body.js';
import { A2A_KEY } from './tasks/task-projection.js';
import { Tasks, taskEnded } from './tasks/tasks.js';

export type TaskAgent = Pick<RunOptions, 'agent' | 'model'>;

/** The task that a message is for, and where what follows from it begins. */
export interface Begun {
  readonly row: InteractionRow;
  /** The last record before the message; 0: none. */
  readonly after: number;
  /** Record 1, if it is known. */
  readonly first?: LogRecord;
}

/** Messages as starts, verdicts, answers and notes. */
@Injectable()
export class Sends {
  private readonly pipe = new InputPipe();

  constructor(
    private readonly tasks: Tasks,
    private readonly starts: StartService,
    private readonly approvals: ApprovalsService,
    private readonly requests: RequestsService,
    private readonly interventions: InterventionsService,
    private readonly ids: Ids,
  ) {}

  /** @throws AppError `task_not_found` (404), and as the use cases that it calls */
  async begin(
    caller: Principal,
    agent: TaskAgent,
    message: SentMessage,
    headers: StartHeaders,
  ): Promise<Begun> {
    if (message.taskId === undefined) return this.start(caller, agent, message, headers);
    const row = await this.tasks.find(caller, agent, message.taskId);
    if (message.contextId !== undefined && message.contextId !== row.chat_id)
      throw invalid('message.contextId', 'is not that of the task: leave it out');
    if (isFinal(row.status)) throw taskEnded(row);
    if (message.answers.length > 0) await this.takeAnswers(caller, row, message.answers);
    else if (isWaiting(row.status)) await this.answerQuestion(caller, row, message.text);
    else await this.note(caller, row, message.text);
    return { row, after: row.last_seq };
  }

  /** The same message in the same context again gives the task that it has begun. */
  private async start(
    caller: Principal,
    agent: TaskAgent,
    { messageId, contextId, text, metadata }: SentMessage,
    { idempotency_key, traceparent }: StartHeaders,
  ): Promise<Begun> {
    const named = { ...metadata, [A2A_KEY]: { message_id: messageId } };
    const given = { ...agent, user_message: text, metadata: named };
    const { user_message, on_conflict: __, ...body } = await this.read(given, StartInteractionDto);
    const started = await this.starts.start({
      ...{ caller, user_message, body, traceparent, background: true, on_conflict: 'enqueue' },
      chat_id: contextId ?? this.ids.make('chat'),
      idempotency_key: idempotency_key ?? keyOf(messageId),
    });
    const first = started.outcome === 'started' && { first: started.first };
    return { row: started.interaction, after: 0, ...first };
  }

  private async takeAnswers(
    caller: Principal,
    row: InteractionRow,
    answers: SentMessage['answers'],
  ): Promise<void> {
    const owner = ownerOf(row);
    const read = await Promise.all(answers.map((answer) => this.readAnswer(answer)));
    for (const answer of read)
      if (answer instanceof RespondDto) await this.requests.respond(caller, owner, answer);
      else await this.decide(caller, row, answer);
  }

  private readAnswer(answer: SentMessage['answers'][number]): Promise<ApproveDto | RespondDto> {
    return 'approval_id' in answer ? this.read(answer, ApproveDto) : this.read(answer, RespondDto);
  }

  /** A verdict that was given before is taken again, as clients repeat requests. */
  private async decide(caller: Principal, row: InteractionRow, verdict: ApproveDto): Promise<void> {
    try {
      await this.approvals.decide(caller, ownerOf(row), verdict);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { decision } = error.extra;
      if (!isObject(decision) || decision['approved'] !== verdict.approved) throw error;
    }
  }

  private async answerQuestion(
    caller: Principal,
    row: InteractionRow,
    answer: string,
  ): Promise<void> {
    const open = await this.tasks.openRequests(caller, row);
    const questions = open.filter(({ kind }) => kind === 'input');
    if (questions.length === 1) {
      const given = await this.read({ request_id: questions[0]!.id, answer }, RespondDto);
      return this.requests.respond(caller, ownerOf(row), given);
    }
    throw invalid(
      'message.parts',
      questions.length > 1
        ? 'have a text, but several questions are open: send data {request_id, answer}'
        : 'have a text, but the task waits for verdicts: send data {approval_id, approved, reason?}',
    );
  }

  private async note(caller: Principal, row: InteractionRow, text: string): Promise<void> {
    const { user_comment } = await this.read({ user_comment: text }, InterveneDto).catch(
      (error: unknown) => {
        throw error instanceof AppError ? invalid('message.parts', NOTE_TOO_LONG) : error;
      },
    );
    const isCommand = user_comment === 'delete' || user_comment === 'modify';
    const note = { user_comment: isCommand ? `${user_comment}.` : user_comment };
    await this.interventions.intervene(caller, row.agent_id, note);
  }

  private async read<T extends object>(given: object, metatype: new () => T): Promise<T> {
    return (await this.pipe.transform(given, { type: 'body', metatype })) as T;
  }
}

const NOTE_TOO_LONG = 'are too long for a note to a task that is at work: 8,192 characters';

function ownerOf({ id: interaction_id, chat_id }: InteractionRow) {
  return { chat_id, interaction_id };
}

/** A hash, because stores limit the length of idempotency keys. */
function keyOf(messageId: string): string {
  return `a2a-${createHash('sha256').update(messageId).digest('hex')}`;
}
