import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import { RunChecks } from '../interactions/start/run-checks.js';
import { AppError } from '../kernel/app-error.js';
import { requireReadable } from '../persistence/require-readable.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import type { ChangedSettings, CreateChat } from './chat-request.js';
import type { ChatSettings } from '../protocol/wire/chat.js';

const PREFIX = 'settings.';

export interface ImportedSettings {
  readonly settings: ChatSettings;
  readonly faults: readonly string[];
}

/** The settings of a chat, which may allow nothing that a start of the same caller may not. */
@Injectable()
export class ChatSettingsRules {
  constructor(private readonly checks: RunChecks) {}

  /** @throws AppError as `RunChecks.require`, `invalid_body` (400) */
  ofNew(
    caller: Principal,
    { agent, settings = {} }: Pick<CreateChat, 'agent' | 'settings'>,
  ): ChatSettings {
    const given = merged({}, settings);
    if (agent === undefined || agent === null) {
      this.checks.require(caller, given, PREFIX);
      return given;
    }
    this.checks.require(caller, { agent });
    if (given.agent !== undefined && given.agent !== agent) throw twoAgents();
    const all = { ...given, agent };
    this.checks.require(caller, all, PREFIX);
    return all;
  }

  /**
   * The settings after a change.
   * @throws AppError as `RunChecks.require`, `requireReadable`
   */
  changed(caller: Principal, chat: ChatRow, change: ChangedSettings): ChatSettings {
    const after = merged(requireReadable(chat).settings, change);
    const { agent, model } = after;
    const place = { ...(agent !== undefined && { agent }), ...(model !== undefined && { model }) };
    this.checks.require(caller, { ...place, ...merged({}, change) }, PREFIX);
    return after;
  }

  /** Settings of a session log that the caller may set; `faults`: why others are left out. */
  imported(caller: Principal, { agent, model, ...rest }: ChatSettings): ImportedSettings {
    const settings: Record<string, unknown> = {};
    const faults: string[] = [];
    for (const [field, value] of Object.entries({ agent, model, ...rest })) {
      if (value === undefined) continue;
      try {
        const { agent: ofAgent, model: ofModel } = settings as ChatSettings;
        const known = { ...(ofAgent && { agent: ofAgent }), ...(ofModel && { model: ofModel }) };
        this.checks.require(caller, { ...known, [field]: value }, PREFIX);
        settings[field] = value;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        faults.push(`The setting ${field} of the chat is left out. ${error.message}`);
      }
    }
    return { settings, faults };
  }
}

/** null removes a setting. */
function merged(settings: ChatSettings, change: ChangedSettings): ChatSettings {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const fields: [string, unknown][] = Object.entries({ ...settings, ...Object.fromEntries(given) });
  return Object.fromEntries(fields.filter(([, value]) => value !== null));
}

function twoAgents(): AppError {
  const message = 'agent and settings.agent must be the same';
  return new AppError('invalid', 'invalid_body', `${message}.`, {
    errors: [{ field: 'settings.agent', message }],
  });
}
