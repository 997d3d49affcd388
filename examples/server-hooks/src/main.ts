import { Module } from '@nestjs/common';
import { bootstrap } from 'parley/bootstrap';
import { StepLog } from './step-log.hooks.js';

@Module({ providers: [StepLog] })
class StepLogModule {}

await bootstrap([StepLogModule]);
