/**
 * The built server, started as it always is, with tools whose effects can be counted beside its
 * own.
 */
import { bootstrap } from '../../dist/src/bootstrap.js';
import { EffectsModule } from './effects.module.mjs';

await bootstrap([EffectsModule]);
