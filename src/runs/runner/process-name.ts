import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';

/** Who holds a lease: unique to this start of this process. */
@Injectable()
export class ProcessName {
  readonly name = `${hostname()}/${process.pid}/${randomUUID()}`;
}
