import { Module } from '@nestjs/common';
import { EventLogModule } from '../event-log/event-log.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { ApprovalsService } from './approvals.service.js';
import { DecisionsController } from './decisions.controller.js';
import { DowntimeGrace } from './downtime-grace.js';
import { InboxController } from './inbox.controller.js';
import { RequestExpiry } from './request-expiry.js';
import { ResponsesService } from './responses.service.js';
import { SettleService } from './settle.service.js';

@Module({
  imports: [EventLogModule, ToolsModule, PermissionsModule],
  controllers: [DecisionsController, InboxController],
  providers: [DowntimeGrace, SettleService, ApprovalsService, ResponsesService, RequestExpiry],
})
export class ApprovalsModule {}
