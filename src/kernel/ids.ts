import { v7 } from 'uuid';

export type IdPrefix =
  | 'chat'
  | 'int'
  | 'agent'
  | 'approval'
  | 'input'
  | 'intervention'
  | 'note'
  | 'task'
  | 'file'
  | 'rule'
  | 'call'
  | 'audit';

/**
 * Makes ids such as `int_0198…`: a prefix that names the kind of object, and a UUID v7, which sorts
 * by time.
 */
export class Ids {
  make(prefix: IdPrefix): string {
    return `${prefix}_${v7()}`;
  }

  /** A UUID v7 that clients never see. */
  makeUid(): string {
    return v7();
  }
}
