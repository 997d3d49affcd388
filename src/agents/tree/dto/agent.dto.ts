import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AGENT_STATE_MEANINGS, AGENT_STATES } from '../../../protocol/agent.js';
import type { AgentState } from '../../../protocol/agent.js';
import type { InteractionStatus, Usage } from '../../../protocol/interaction.js';
import { ACTIVE_STATUSES, FINAL_STATUSES } from '../../../protocol/records/fields.js';
import type { Message } from '../../../protocol/message.js';
import type { InterventionView } from '../../interventions/intervention-view.js';
import type { AgentView } from '../agent-view.js';
import type { AgentCut, InteractionTree, TreePage, WholeAgent } from '../agent-tree.service.js';

/** An agent of a tree, in the OpenAPI document. */
export class AgentDto implements AgentView {
  @ApiProperty({ example: 'agent_0199c0de-0000-7000-8000-000000000000' })
  readonly agent_id: string;

  @ApiProperty({ example: 'react' })
  readonly agent_type: string;

  @ApiProperty({ type: String, nullable: true, description: 'null: the root.' })
  readonly parent_agent_id: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: "The parent's tool call that it was started in.",
  })
  readonly parent_tool_call_id: string | null;

  @ApiProperty({ enum: AGENT_STATES, description: AGENT_STATE_MEANINGS })
  readonly state: AgentState;

  @ApiPropertyOptional({ description: 'Of the call in `tool_call_id`.' })
  readonly tool_name?: string;

  @ApiPropertyOptional({ description: 'The call that runs, or is asked about.' })
  readonly tool_call_id?: string;

  @ApiPropertyOptional({ description: 'The first child that it waits for.' })
  readonly child_agent_id?: string;

  @ApiPropertyOptional({ description: 'The request that it waits for.' })
  readonly request_id?: string;

  @ApiProperty({ description: 'What it was asked to do.' })
  readonly prompt: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Its answer, or why it has none; null while there is neither.',
  })
  readonly result: string | null;

  @ApiProperty({
    type: Object,
    allOf: [{ $ref: '#/components/schemas/Usage' }],
    description: 'Of its own turns.',
  })
  readonly usage: Usage;

  @ApiProperty({ description: 'Model turns so far.' })
  readonly turns: number;

  @ApiProperty({ description: 'Tool calls so far.' })
  readonly tool_calls: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly started_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly completed_at: string | null;

  @ApiProperty({ type: Object })
  readonly metadata: Readonly<Record<string, unknown>>;

  @ApiProperty({
    example: 'unchanged',
    description:
      'Of the last intervention of a person: `delete`, `modify` or a note; `unchanged` before any.',
  })
  readonly user_comment: string;

  @ApiProperty({ type: String, nullable: true, description: 'What came with it.' })
  readonly user_content: string | null;

  @ApiProperty({ type: () => [AgentDto], description: 'The agents that it started, in order.' })
  readonly children: readonly AgentDto[];
}

export class AgentTreeDto implements InteractionTree {
  @ApiProperty()
  readonly chat_id: string;

  @ApiProperty()
  readonly interaction_id: string;

  @ApiProperty({
    enum: ['QUEUED', ...ACTIVE_STATUSES, ...FINAL_STATUSES],
    description: 'Of the interaction.',
  })
  readonly status: InteractionStatus;

  @ApiProperty({ description: "The agent that answers the interaction's message." })
  readonly root: AgentDto;
}

export class AgentTreeListDto implements TreePage {
  @ApiProperty({ type: [AgentTreeDto] })
  readonly items: readonly AgentTreeDto[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page.' })
  readonly next_cursor: string | null;
}

class InterventionDto implements InterventionView {
  @ApiProperty()
  readonly intervention_id: string;

  @ApiProperty({
    enum: ['accepted', 'taken_in', 'too_late'],
    description: '`too_late`: the agent ended first.',
  })
  readonly status: 'accepted' | 'taken_in' | 'too_late';

  @ApiProperty()
  readonly user_comment: string;

  @ApiProperty({ type: String, nullable: true })
  readonly user_content: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly created_at: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Of its `agent_intervened`; null unless it was taken in.',
  })
  readonly seq: number | null;
}

class AgentCutDto implements AgentCut {
  @ApiProperty({
    example: '/chats/chat_123/log',
    description: 'Has the earlier messages, which are left out here.',
  })
  readonly messages: string;
}

export class WholeAgentDto extends AgentDto implements WholeAgent {
  @ApiProperty()
  readonly chat_id: string;

  @ApiProperty()
  readonly interaction_id: string;

  @ApiProperty({
    type: [Object],
    description:
      'OpenAI chat messages: its whole conversation. Without the earlier interactions if those have more than 16 MiB, and of its own records the first 16 MiB; `cut.messages` says where the rest is.',
  })
  readonly messages: readonly Message[];

  @ApiProperty({ type: [InterventionDto], description: 'What people told it, in order.' })
  readonly interventions: readonly InterventionDto[];

  @ApiProperty({ type: AgentCutDto, nullable: true })
  readonly cut: AgentCutDto | null;
}
