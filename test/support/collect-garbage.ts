import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--expose-gc');

const collect = vm.runInNewContext('gc') as () => void;

/**
 * So that what memory is held can be told from what is only not cleared away yet. Buffers go with
 * the next collection after their own.
 */
export function collectGarbage(): void {
  collect();
  collect();
}
