import { Logger } from '@nestjs/common';
import { FileStoreReports } from '../../src/files/file-store-reports.js';
import { filesUnavailable, noBytes } from '../../src/files/file-store.js';
import { LocalFileStore } from '../../src/files/local/local-file-store.js';
import { reported } from '../../src/files/reported.js';
import { Telemetry } from '../../src/telemetry/telemetry.js';
import { MovableClock } from '../support/movable-clock.js';

class FaultyFileStore extends LocalFileStore {
  fault = filesUnavailable('their folder is gone', undefined);

  override exists(): Promise<boolean> {
    return Promise.reject(this.fault);
  }
}

describe(reported, () => {
  let warnings: object[];
  beforeEach(() => {
    warnings = [];
    const ignore = () => {};
    const warn = (line: object) => void warnings.push(line);
    Logger.overrideLogger({ log: ignore, error: ignore, warn });
  });
  afterEach(() => Logger.overrideLogger(false));

  it('counts each failure of a store, and logs one a minute', async () => {
    const [clock, telemetry] = [new MovableClock(), new Telemetry()];
    let failures = 0;
    telemetry.on('file_store_failed', () => failures++);
    const broken = new FaultyFileStore('/nowhere');
    const store = reported(broken, new FileStoreReports(clock, telemetry));
    for (let n = 0; n < 1000; n++)
      await expect(store.exists('default/a')).rejects.toBe(broken.fault);
    const message = expect.stringContaining('their folder is gone');
    expect(warnings).toEqual([{ message }]);
    clock.pass(60_000);
    expect(warnings).toEqual([{ message }, { message, left_out: 998 }]);
    expect(failures).toBe(1000);
  });

  it('tells nothing of a file that is not there', async () => {
    const broken = new FaultyFileStore('/nowhere');
    broken.fault = noBytes('default/a');
    const reports = new FileStoreReports(new MovableClock(), new Telemetry());
    await expect(reported(broken, reports).exists('default/a')).rejects.toBe(broken.fault);
    expect(warnings).toEqual([]);
  });
});
