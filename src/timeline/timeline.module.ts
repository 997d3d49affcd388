import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { TimelineController } from './timeline.controller.js';

@Module({ imports: [AccessModule], controllers: [TimelineController] })
export class TimelineModule {}
