import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { ApprovalsService } from './approvals.service.js';
import { DecisionsController } from './decisions.controller.js';
import { InboxController } from './inbox.controller.js';
import { InboxService } from './inbox.service.js';
import { RequestExpiry } from './request-expiry.js';
import { RequestsService } from './requests.service.js';

@Module({
  imports: [AccessModule, EventLogModule, GuardrailsModule, ToolsModule, PermissionsModule],
  controllers: [DecisionsController, InboxController],
  providers: [RequestsService, ApprovalsService, InboxService, RequestExpiry],
  exports: [ApprovalsService, InboxService, RequestsService],
})
export class ApprovalsModule {}
