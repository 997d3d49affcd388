import { clientPause, clientPauseInSeconds } from './client-pause.js';

describe(clientPause.name, () => {
  const DRAWN = [0, 0.25, 0.5, 0.75, 0.999_999];

  it('is spread from 1 to 5 seconds', () => {
    expect(DRAWN.map((drawn) => clientPause(() => drawn))).toEqual([1000, 2000, 3000, 4000, 5000]);
    expect(DRAWN.map((drawn) => clientPauseInSeconds(() => drawn))).toEqual([1, 2, 3, 4, 5]);
  });
});
