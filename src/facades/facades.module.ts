import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { servedFacades } from './served-facades.js';

/** The façades that `FACADES` switches on; others have no routes. */
@Module({})
export class FacadesModule {
  static of(config: Pick<Config, 'facades'>): DynamicModule {
    return { module: FacadesModule, imports: servedFacades(config).map(({ module }) => module) };
  }
}
