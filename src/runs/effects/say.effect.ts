import type { AgentIdentity } from '../../agents/agent-context.js';
import type { CompletingRecord } from '../journal/completes.js';
import type { Effect } from './effect.js';
import { guardText } from '../guarding/guard-output.js';
import type { AgentScope } from '../scope/agent-scope.js';

/** Text that the agent's code shows to readers; it joins the conversation. */
export class SayEffect implements Effect<void> {
  readonly label = 'a message';

  constructor(
    private readonly scope: AgentScope,
    private readonly agent: AgentIdentity,
    private readonly input: { readonly key: string; readonly text: string },
  ) {}

  get key(): string {
    return this.input.key;
  }

  matches({ body }: CompletingRecord): boolean {
    return body.type === 'MESSAGE';
  }

  async run(): Promise<void> {
    const { text: content, remarks } = guardText(this.scope.run, this.agent, this.input.text);
    const block_id = this.scope.run.log.newBlockId();
    const body = { type: 'MESSAGE', block_id, content } as const;
    const hidden = { standalone: true } as const;
    await this.scope.append([...remarks, { agent_id: this.agent.id, key: this.key, body, hidden }]);
  }

  outcome(): void {}
}

/** A notice about the run by the agent's code. */
export class NoticeEffect implements Effect<void> {
  readonly label: string;

  constructor(
    private readonly scope: AgentScope,
    private readonly agent: AgentIdentity,
    private readonly input: {
      readonly key: string;
      readonly code: string;
      readonly message: string;
    },
  ) {
    this.label = `the notice ${input.code}`;
  }

  get key(): string {
    return this.input.key;
  }

  matches({ body }: CompletingRecord): boolean {
    return body.type === 'NOTICE' && body.code === this.input.code;
  }

  async run(): Promise<void> {
    const { key, code } = this.input;
    const { text: message, remarks } = guardText(this.scope.run, this.agent, this.input.message);
    const body = { type: 'NOTICE', code, message } as const;
    await this.scope.append([...remarks, { agent_id: this.agent.id, key, body }]);
  }

  outcome(): void {}
}
