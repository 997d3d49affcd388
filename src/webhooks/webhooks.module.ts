import { Module } from '@nestjs/common';
import { ReceiverHealth } from './receiver-health.js';
import { WebhookBodies } from './webhook-bodies.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import { WebhookSender } from './webhook-sender.js';

@Module({
  providers: [WebhookBodies, WebhookSender, ReceiverHealth, WebhookDispatcher],
  exports: [ReceiverHealth],
})
export class WebhooksModule {}
