import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Module } from '@nestjs/common';
import { z } from 'zod';
import { Clock } from '../../dist/src/kernel/clock.js';
import { ToolProvider } from '../../dist/src/tools/core/tool-provider.decorator.js';
import { Tool } from '../../dist/src/tools/core/tool.js';
import { BossAgent } from './boss.agent.mjs';
import { EffectsFile } from './effects-file.mjs';

const file = new EffectsFile(process.env.CHAOS_EFFECTS);
const input = z.object({ token: z.string(), ms: z.number().int().max(60_000) });

/**
 * Leaves a line in the file when it begins and one when it is done, with the time of the clock
 * that records have theirs from: that of the host may differ. What it answers is known before.
 */
class EffectTool extends Tool {
  input = input;
  description = 'Leaves a mark that cannot be taken back.';

  async execute({ token, ms }, { tool_call_id: call, interaction_id: interaction, signal }) {
    const line = { tool: this.name, call, interaction, input: { token, ms } };
    file.append({ ...line, phase: 'begin', at: this.clock.now().getTime() });
    await delay(ms, undefined, { signal });
    file.append({ ...line, phase: 'end', at: this.clock.now().getTime() });
    return `Left ${token}.`;
  }
}

Inject(Clock)(EffectTool.prototype, 'clock');

function policy(recovery) {
  return { category: 'write', read_only: false, risk: 'high', recovery };
}

/** Must not be started twice. */
class DeedTool extends EffectTool {
  name = 'deed';
  policy = policy('report');
}

/** The same; a rule has people asked about it. */
class GuardedTool extends EffectTool {
  name = 'guarded';
  policy = policy('report');
}

/** May be started again: whoever reads the file takes each token once. */
class NoteTool extends EffectTool {
  name = 'note';
  policy = policy('rerun');
}

/** Asks two questions of its own, one after the other. */
class ConsultTool extends Tool {
  name = 'consult';
  description = 'Asks, and asks again.';
  input = z.object({ questions: z.array(z.string()) });
  policy = { category: 'human', read_only: true, risk: 'low', recovery: 'replay' };
  timeout_ms = 0;

  async execute({ questions }, { ask }) {
    const answers = [];
    for (const question of questions) answers.push(await ask(question));
    return JSON.stringify(answers);
  }
}

const TOOLS = [DeedTool, GuardedTool, NoteTool, ConsultTool];
for (const tool of TOOLS) {
  Injectable()(tool);
  ToolProvider()(tool);
}

/** What a server has to be started with. */
export class EffectsModule {}
Module({ providers: [...TOOLS, BossAgent] })(EffectsModule);
