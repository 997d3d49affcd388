import { Module } from '@nestjs/common';
import { FacadeBaseModule } from '../base/facade-base.module.js';
import { AiSdkController } from './ai-sdk.controller.js';
import { Decisions } from './decisions.js';

@Module({
  imports: [FacadeBaseModule],
  controllers: [AiSdkController],
  providers: [Decisions],
})
export class AiSdkModule {}
