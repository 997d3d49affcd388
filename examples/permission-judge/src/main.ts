import { Module } from '@nestjs/common';
import { bootstrap } from 'parley/bootstrap';
import { OfficeHoursJudge } from './office-hours.judge.js';

@Module({ providers: [OfficeHoursJudge] })
class OfficeModule {}

await bootstrap([OfficeModule]);
