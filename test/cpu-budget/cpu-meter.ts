import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Interface } from 'node:readline';

/** CPU time of the main thread of a server, in calibrated milliseconds. */
export interface MainThreadTime {
  /** Of the longest work that let nothing else happen. */
  readonly hold: number;
  readonly total: number;
}

/**
 * What the server's calibration takes on an idle core of the machine whose milliseconds the budgets
 * are in (AMD EPYC, Node 20.20; the median of 15 runs): neither the speed of a machine nor its load
 * counts.
 */
const CALIBRATION_MS = 28;
/** Other work on the machine, and the collector of garbage, lengthen most of them. */
const RUNS = 12;

/** Measures the main thread of a measured server. */
export class CpuMeter {
  private slowness = 1;

  private constructor(
    private readonly socket: Socket,
    private readonly lines: Interface,
  ) {}

  static async open(path: string): Promise<CpuMeter> {
    const socket = connect(path);
    await once(socket, 'connect');
    const meter = new CpuMeter(socket, createInterface(socket));
    await meter.calibrate();
    return meter;
  }

  /** Works once, or up to `RUNS` times while it took longer than `most`: the least time counts. */
  async measure(work: () => Promise<unknown>, most: MainThreadTime): Promise<MainThreadTime> {
    let [hold, total] = [Infinity, Infinity];
    for (let run = 0; run < RUNS && (hold > most.hold || total > most.total); run++) {
      if (run > 0) await this.calibrate();
      await this.ask('begin');
      await work();
      const time = (await this.ask('end')) as MainThreadTime;
      hold = Math.min(hold, time.hold / this.slowness);
      total = Math.min(total, time.total / this.slowness);
    }
    return { hold, total };
  }

  close(): void {
    this.socket.destroy();
  }

  private async calibrate(): Promise<void> {
    this.slowness = ((await this.ask('calibrate')) as number) / CALIBRATION_MS;
  }

  private async ask(question: string): Promise<unknown> {
    this.socket.write(`${question}\n`);
    const [line] = (await once(this.lines, 'line')) as [string];
    return JSON.parse(line) as unknown;
  }
}
