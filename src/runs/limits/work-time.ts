import type { LogRecord } from '../../persistence/rows/log-record.js';

/**
 * How long an interaction has been worked on, told by the times of its log, so that it is the same for whoever takes it up: not while a
 * person is asked, and not from the last that a lost process wrote until another one took it up.
 */
export class WorkTime {
  private worked = 0;
  private last: number | undefined;
  private readonly asked = new Set<string>();

  apply({ body, at }: LogRecord): void {
    const time = Date.parse(at);
    if (body.type !== 'RESUMED') this.worked = this.until(time);
    this.last = time;
    switch (body.type) {
      case 'APPROVAL_REQUIRED':
        return void this.asked.add(body.tool_call_id);
      case 'TOOL_RESULT_REQUIRED':
        return void this.asked.add(body.tool_call_id);
      case 'APPROVED':
      case 'REJECTED':
        return void this.asked.delete(body.tool_call_id);
      case 'TOOL_RESULT':
        return void this.asked.delete(body.id);
      case 'INPUT_REQUIRED':
        return void this.asked.add(body.request_id);
      case 'INPUT_RECEIVED':
        return void this.asked.delete(body.request_id);
      default:
    }
  }

  /** Milliseconds of work until then, by the clock that the log's times are of. */
  until(time: number): number {
    if (this.last === undefined || this.asked.size > 0) return this.worked;
    return this.worked + Math.max(0, time - this.last);
  }
}
