import type { Message } from '../../protocol/message.js';
import { AgentContext } from '../../agents/agent-context.js';
import type { AgentIdentity, AgentSettings } from '../../agents/agent-context.js';
import type { Children } from '../children/children.js';
import type { Conversation } from '../../conversation/conversation.js';
import type { AgentScope } from '../scope/agent-scope.js';

export interface ContextParts {
  readonly scope: AgentScope;
  readonly identity: AgentIdentity;
  /** The first part of the agent's step keys. */
  readonly path: string;
  readonly conversation: Conversation;
  readonly children: Children;
  readonly settings: AgentSettings;
}

/** What an agent, and its hooks, see of one run. */
export abstract class SeenContext extends AgentContext {
  constructor(readonly parts: ContextParts) {
    super();
  }

  get agent(): AgentIdentity {
    return this.parts.identity;
  }

  get messages(): readonly Message[] {
    return this.parts.conversation.shown;
  }

  get signal(): AbortSignal {
    return this.parts.scope.signal;
  }

  get resources(): unknown {
    return this.parts.scope.resources.value;
  }

  get max_iterations(): number {
    const { scope, settings } = this.parts;
    return settings.max_iterations ?? scope.interaction.settings.max_iterations;
  }

  get client_tools(): readonly string[] {
    return this.parts.scope.interaction.settings.client_tools.map(({ name }) => name);
  }
}
