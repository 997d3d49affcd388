import type { LogRecord } from '../../persistence/rows/log-record.js';
import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { ToolJudge } from '../../permissions/judges/tool-judge.js';
import { Speakers } from '../scope/speakers.js';
import type { ToolRegistry } from '../../tools/core/tool-registry.js';
import { checkArguments, judgedArguments } from '../../tools/core/check-arguments.js';
import type { Decision } from '../../protocol/wire/rule.js';

/** A call of a log, and what the rules say of it now. */
export interface JudgedAgain {
  readonly seq: number;
  readonly tool_name: string;
  /** Its verdict then; `allow` also if nothing was asked. */
  readonly recorded: 'allow' | 'approved' | 'rejected';
  /** `none`: the tool is not there, or refuses the arguments. */
  readonly now: Decision | 'none';
  /** A sentence for people. */
  readonly reason: string;
}

interface Judges {
  readonly judge: Pick<ToolJudge, 'check'>;
  readonly tools: ToolRegistry;
}

/** Judges each tool call of a log by the rules of this server. Counts no use of a rule. */
export async function judgeCalls(
  { judge, tools }: Judges,
  { interaction, records }: { interaction: InteractionRow; records: readonly LogRecord[] },
): Promise<JudgedAgain[]> {
  const agents = agentTypes(interaction, records);
  const judged: JudgedAgain[] = [];
  const speakers = new Speakers();
  for (const record of records) {
    speakers.apply(record);
    if (!isRecordOf(record, 'TOOL_CALL')) continue;
    const { seq, agent_id, body } = record;
    const { id, tool_name, tool_input } = body;
    const call = { seq, tool_name, recorded: recordedVerdict(records, id) };
    const tool = tools.find(tool_name);
    const checked = tool && checkArguments(tool, tool_input);
    if (!tool || !checked?.ok) {
      const reason = tool ? 'Its arguments are refused.' : 'There is no such tool here.';
      judged.push({ ...call, now: 'none', reason });
      continue;
    }
    const agent = agents.get(agent_id) ?? interaction.agent;
    const verdict = await judge.check({
      tool,
      tool_input: judgedArguments(tool_input),
      interaction,
      agent,
      speakers: speakers.all,
    });
    judged.push({ ...call, now: verdict.decision, reason: verdict.reason });
  }
  return judged;
}

function agentTypes(
  { agent_id, agent }: InteractionRow,
  records: readonly LogRecord[],
): ReadonlyMap<string, string> {
  const children = records
    .filter((record) => isRecordOf(record, 'AGENT_STARTED'))
    .map((record) => [record.agent_id, record.body.agent_type] as const);
  return new Map([[agent_id, agent], ...children]);
}

function recordedVerdict(records: readonly LogRecord[], callId: string): JudgedAgain['recorded'] {
  for (const { body } of records) {
    if (body.type === 'APPROVED' && body.tool_call_id === callId) return 'approved';
    if (body.type === 'REJECTED' && body.tool_call_id === callId) return 'rejected';
  }
  return 'allow';
}
