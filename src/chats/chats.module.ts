import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { FilesModule } from '../files/files.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { ConversationCacheModule } from '../persistence/conversation-cache/conversation-cache.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { WorkspaceModule } from '../workspace/workspace.module.js';
import { ChatsController } from './chats.controller.js';
import { ChatDeletion } from './chat-deletion.js';
import { ChatRedaction } from './chat-redaction.js';
import { ChatSettingsRules } from './chat-settings-rules.js';
import { ChatsService } from './chats.service.js';
import { Leftovers } from './leftovers.js';
import { Retention } from './retention.js';
import { ChatFilesArchive } from './session-log/archive/chat-files-archive.js';
import { SessionLogController } from './session-log/session-log.controller.js';
import { SessionLogExporter } from './session-log/session-log-exporter.js';
import { SessionLogImporter } from './session-log/session-log-importer.js';

@Module({
  imports: [
    AccessModule,
    AgentsModule,
    ConversationCacheModule,
    EventLogModule,
    FilesModule,
    GuardrailsModule,
    InteractionsModule,
    CancellationModule,
    PermissionsModule,
    QuotasModule,
    WorkspaceModule,
    StreamsModule,
  ],
  controllers: [ChatsController, SessionLogController],
  providers: [
    ChatFilesArchive,
    ChatsService,
    ChatDeletion,
    ChatRedaction,
    ChatSettingsRules,
    Leftovers,
    Retention,
    SessionLogExporter,
    SessionLogImporter,
  ],
  exports: [ChatsService, ChatDeletion],
})
export class ChatsModule {}
