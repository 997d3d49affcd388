import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { AgentsModule } from '../../agents/agents.module.js';
import { ApprovalsModule } from '../../approvals/approvals.module.js';
import { CancellationModule } from '../../cancellation/cancellation.module.js';
import { ChatsModule } from '../../chats/chats.module.js';
import { GuardrailsModule } from '../../guardrails/guardrails.module.js';
import { InteractionsModule } from '../../interactions/interactions.module.js';
import { StreamsModule } from '../../streams/streams.module.js';
import { AgentModels } from './agent-models.js';
import { Branches } from './branches.js';
import { ProjectedStreams } from './projected-streams.js';
import { RequestDecisions } from './request-decisions.js';

const USE_CASES = [
  AccessModule,
  AgentsModule,
  ApprovalsModule,
  CancellationModule,
  ChatsModule,
  GuardrailsModule,
  InteractionsModule,
  StreamsModule,
];

const SHARED = [AgentModels, Branches, ProjectedStreams, RequestDecisions];

/** The use cases that façades call, and what façades have in common. */
@Module({
  imports: USE_CASES,
  providers: SHARED,
  exports: [...USE_CASES, ...SHARED],
})
export class FacadeBaseModule {}
