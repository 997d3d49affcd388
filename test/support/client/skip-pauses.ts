import { jest } from '@jest/globals';

/** In milliseconds: the shortest pause of a stream, and its longest without `Retry-After`. */
const [MIN, MAX] = [250, 37_500];

/** Streams of the client come back at once; a silence takes as long as ever. */
export function skipPauses(): void {
  const { setTimeout } = globalThis;
  const skip = (run: () => void, ms = 0): NodeJS.Timeout =>
    setTimeout(run, ms >= MIN && ms <= MAX ? 0 : ms);
  beforeEach(() => {
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(skip);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
}
