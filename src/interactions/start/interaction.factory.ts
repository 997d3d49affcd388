import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { viewerOf } from '../../access/viewer-of.js';
import { isRecording } from '../../audio/audio.service.js';
import { AgentRegistry } from '../../agents/agent-registry.js';
import type { Principal } from '../../auth/principal.js';
import { Config } from '../../config/config.js';
import { AttachedFiles } from '../../files/attached/attached-files.js';
import type { FileRow } from '../../files/file-catalog.js';
import { AppError } from '../../kernel/app-error.js';
import { canonicalJson } from '../../kernel/json/json.js';
import { Clock } from '../../kernel/clock.js';
import { Ids } from '../../kernel/ids.js';
import { ChatAccess } from '../../access/chat-access.js';
import { requireReadable } from '../../persistence/require-readable.js';
import type { ClientTool } from '../../persistence/rows/interaction-row.js';
import type {
  AdoptedFile,
  IdempotencyKey,
  NewInteraction,
  StartInteraction,
} from '../../persistence/rows/start-rows.js';
import { ToolRegistry } from '../../tools/core/tool-registry.js';
import { samplingOf } from '../../protocol/sampling.js';
import { RunChecks } from './run-checks.js';
import { parseTraceparent } from '../../timeline/trace-context.js';
import type { StartRequest } from './start-request.js';
import type { ChatSettings } from '../../protocol/wire/chat.js';
import type { AttachedFile } from '../../protocol/wire/file.js';

/** Builds the interaction to start from a request, with all defaults filled in. */
@Injectable()
export class InteractionFactory {
  constructor(
    private readonly access: ChatAccess,
    private readonly agents: AgentRegistry,
    private readonly checks: RunChecks,
    private readonly tools: ToolRegistry,
    private readonly files: AttachedFiles,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * @throws AppError `unknown_agent`, `unknown_model`, `unknown_price`, `invalid_body` (400),
   * `missing_scope` (403)
   */
  async create(request: StartRequest): Promise<StartInteraction> {
    const { chat_id: id, caller, edited_from, on_conflict = 'reject' } = request;
    const { tenant_id, user_id: owner } = caller;
    const found = await this.filesOf(request);
    requireMessage(request, found);
    const interaction = await this.describe(request, found.map(toAttached));
    const adopts = found.filter((file) => isUnattached(file, caller)).map(toAdopted);
    const idempotency = idempotencyOf(request);
    const { created_at } = interaction;
    return {
      chat: {
        ...{ uid: this.ids.makeUid(), id, tenant_id, owner, visibility: 'private' },
        ...{ title: null, settings: {}, created_at, metadata: {} },
      },
      viewer: viewerOf(caller),
      interaction,
      on_conflict,
      ...(edited_from !== undefined && { edited_from }),
      ...(idempotency && { idempotency }),
      ...(adopts.length > 0 && { adopts }),
    };
  }

  private async describe(
    request: StartRequest,
    files: readonly AttachedFile[],
  ): Promise<NewInteraction> {
    const { caller, chat_id, user_message, redacted, body, background, traceparent, spoken } =
      request;
    const chat = await this.access.findChat(caller, chat_id);
    const ofChat = chat ? requireReadable(chat).settings : {};
    const agent = body.agent ?? ofChat.agent ?? this.config.defaultAgent;
    const type = this.agents.find(agent)?.type;
    const model = body.model ?? ofChat.model ?? type?.model ?? this.config.model;
    const approval_mode = body.approval_mode ?? ofChat.approval_mode ?? this.config.approvalMode;
    const budget = body.budget ?? ofChat.budget;
    const thinking = body.thinking ?? ofChat.thinking;
    const { max_iterations } = body;
    const asked = { agent, model, approval_mode };
    this.checks.require(caller, {
      ...asked,
      ...(max_iterations !== undefined && { max_iterations }),
      ...(budget && { budget }),
    });
    const client_tools = body.client_tools ?? [];
    this.checkClientTools(client_tools);
    const { system_prompt, context_messages } = ofChat;
    return {
      id: this.ids.make('int'),
      chat_id,
      user_message,
      agent,
      agent_id: this.ids.make('agent'),
      model,
      settings: {
        max_iterations: max_iterations ?? this.iterationsOf(agent, ofChat),
        on_disconnect: body.on_disconnect ?? (background ? 'continue' : 'cancel'),
        approval_mode,
        client_tools,
        ...(budget && { budget }),
        ...(thinking && { thinking }),
        ...samplingOf(body),
        ...(files.length > 0 && { files }),
        ...(system_prompt !== undefined && { system_prompt }),
        ...(context_messages !== undefined && { context_messages }),
        ...(redacted && { redacted }),
        ...(spoken && { spoken }),
        ...(parseTraceparent(traceparent) && { traceparent: traceparent!.trim() }),
      },
      created_at: this.clock.now().toISOString(),
      metadata: body.metadata ?? {},
    };
  }

  /** An edit that names none keeps those of the edited message. */
  private async filesOf({
    caller,
    chat_id,
    body,
    edited_from,
  }: StartRequest): Promise<readonly (AttachedFile | FileRow)[]> {
    if (body.file_ids) return this.files.find(caller, body.file_ids);
    if (edited_from === undefined) return [];
    return (await this.access.interaction(caller, chat_id, edited_from)).settings.files ?? [];
  }

  /** Iterations that the chat sets, but no more than this kind of agent may make. */
  private iterationsOf(agent: string, { max_iterations }: ChatSettings): number {
    if (max_iterations !== undefined)
      return Math.min(max_iterations, this.checks.mostIterations(agent));
    return this.agents.find(agent)?.type.max_iterations ?? this.config.maxIterations;
  }

  private checkClientTools(tools: readonly ClientTool[]): void {
    const errors = tools.flatMap(({ name }, index) => {
      const message = `the server has a tool "${name}" of its own`;
      return this.tools.find(name) ? [{ field: `client_tools.${index}.name`, message }] : [];
    });
    if (errors.length === 0) return;
    const fields = errors.map(({ field }) => field).join(', ');
    const message = `Rename ${fields}: the server has tools of these names.`;
    throw new AppError('invalid', 'invalid_body', message, { errors });
  }
}

/** A recording is a message of its own. */
function requireMessage(
  { user_message, edited_from }: StartRequest,
  files: readonly Pick<AttachedFile, 'mime_type'>[],
): void {
  if (/\S/.test(user_message) || files.some(({ mime_type }) => isRecording(mime_type))) return;
  const field = edited_from === undefined ? 'user_message' : 'new_user_message';
  const message = `${field} must contain more than white space`;
  const errors = [{ field, message }];
  throw new AppError('invalid', 'invalid_body', `Invalid body: ${message}`, { errors });
}

function toAttached({ id, filename, mime_type, size_bytes }: AttachedFile): AttachedFile {
  return { id, filename, mime_type, size_bytes };
}

function toAdopted({ id, filename }: AttachedFile): AdoptedFile {
  return { id, filename };
}

/** A file of the caller's own that is in no chat. */
function isUnattached(file: AttachedFile | FileRow, { user_id }: Principal): boolean {
  return 'chat_uid' in file && file.chat_uid === null && file.owner === user_id;
}

/**
 * The fingerprint is equal for bodies with the same fields, in any order, of the same user: another
 * user can't get the interaction by guessing the key.
 */
export function idempotencyOf(request: StartRequest): IdempotencyKey | undefined {
  const { idempotency_key: key, caller, body, user_message, edited_from } = request;
  const { on_conflict = 'reject' } = request;
  if (key === undefined) return undefined;
  const text = canonicalJson({
    user_id: caller.user_id,
    body,
    user_message,
    edited_from,
    on_conflict,
  });
  return { key, fingerprint: createHash('sha256').update(text).digest('hex') };
}
