import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ChatsController } from './chats.controller.js';
import { ChatsService } from './chats.service.js';

@Module({
  imports: [AgentsModule, InteractionsModule, CancellationModule, PermissionsModule],
  controllers: [ChatsController],
  providers: [ChatsService],
})
export class ChatsModule {}
