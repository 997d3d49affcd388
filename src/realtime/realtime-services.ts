import { Injectable } from '@nestjs/common';
import { AudioService } from '../audio/audio.service.js';
import { CancellationService } from '../cancellation/cancellation.service.js';
import { Config } from '../config/config.js';
import { RunWaker } from '../event-log/live/run-waker.js';
import { LiveStreams } from '../feed/live-streams.js';
import { StartService } from '../interactions/start/start.service.js';
import { RunChecks } from '../interactions/start/run-checks.js';
import { Clock } from '../kernel/clock.js';
import { Ids } from '../kernel/ids.js';
import { InterventionStore } from '../persistence/intervention.store.js';

/** The parts of the server that sessions use. */
@Injectable()
export class RealtimeServices {
  constructor(
    readonly audio: AudioService,
    readonly starts: StartService,
    readonly checks: RunChecks,
    readonly cancellation: CancellationService,
    readonly interventions: InterventionStore,
    readonly waker: RunWaker,
    readonly live: LiveStreams,
    readonly config: Config,
    readonly clock: Clock,
    readonly ids: Ids,
  ) {}
}
