import type { GuardedOutput } from '../../guardrails/guarded-output.js';
import type { OutputAbout } from '../../guardrails/guardrail.js';
import { BlockWriter } from '../../event-log/append/block-writer.js';
import type { BlockOptions } from '../../event-log/append/block-writer.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { GuardedBlock } from './guarded-block.js';
import { guardedAgent, remarkEntries } from '../guarding/guarding.js';
import type { AgentScope } from '../scope/agent-scope.js';

export type BlockType = 'TEXT_DELTA' | 'THINKING_DELTA' | 'TOOL_INPUT_DELTA';

const PARTS = {
  TEXT_DELTA: 'text',
  THINKING_DELTA: 'thinking',
  TOOL_INPUT_DELTA: 'tool_input',
} as const;

/** The guardrails of one try at a model turn. */
export class TurnGuard {
  private output: GuardedOutput | undefined;
  private readonly about: OutputAbout;

  constructor(
    private readonly scope: AgentScope,
    { agent_id: id, agent_type: type }: { readonly agent_id: string; readonly agent_type: string },
  ) {
    const { id: interaction_id, chat_id } = scope.interaction;
    this.about = guardedAgent({ id, type, interaction_id, chat_id });
  }

  /** @throws Tripwire */
  block(type: BlockType, options: Omit<BlockOptions, 'type'>): GuardedBlock {
    this.output ??= this.scope.services.guardrails.open(this.about);
    const guard = this.output.begin(PARTS[type]);
    return new GuardedBlock(new BlockWriter(this.scope.log, { type, ...options }), guard);
  }

  /** @throws Tripwire if the text as a whole must not be gone on with */
  async check(text: string): Promise<void> {
    if (text === '') return;
    const { signal, services } = this.scope;
    await services.guardrails.checkOutput(text, this.about, signal);
  }

  remarks(): Entry[] {
    return remarkEntries(this.about.agent_id, this.output?.remarks() ?? []);
  }
}
