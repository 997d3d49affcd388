import { Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from './clock.js';
import { Ids } from './ids.js';

@Global()
@Module({ providers: [{ provide: Clock, useClass: SystemClock }, Ids], exports: [Clock, Ids] })
export class KernelModule {}
