import type { Usage } from '../../protocol/interaction.js';
import { ObservedWindows } from './observed-windows.js';

const MODEL = 'openai/qwen3:8b';

const usage = (input_tokens: number, more: Partial<Usage> = {}): Usage => ({
  ...{ input_tokens, output_tokens: 1 },
  ...more,
});

describe(ObservedWindows.name, () => {
  let windows: ObservedWindows;
  beforeEach(() => {
    windows = new ObservedWindows();
  });

  it('finds the first prompt of a model that was cut, and its window', () => {
    expect(windows.note(MODEL, usage(4_096), 15_000)).toBe(true);
    expect(windows.of(MODEL)).toBe(4_096);
    expect(windows.note(MODEL, usage(4_096), 16_000)).toBe(false);
    expect(windows.of('openai/other')).toBeUndefined();
    expect(windows.note('openai/other', usage(4_000), 15_000)).toBe(true);
  });

  it('finds it where the server leaves out whole messages', () => {
    expect(windows.note(MODEL, usage(4_050), 4_100)).toBe(false);
    expect(windows.note(MODEL, usage(3_700), 8_000)).toBe(true);
    expect(windows.of(MODEL)).toBe(4_050);
  });

  it.each([
    ['of dense text', usage(10_000), 15_000],
    [
      'that is read from a cache, of which only the rest is counted',
      usage(2_500, { cached_tokens: 2_500 }),
      15_000,
    ],
    ['that is counted as less than any window', usage(100), 15_000],
    ['that is not counted', usage(0), 15_000],
  ])('takes no prompt %s for cut', (_, reported, estimate) => {
    expect(windows.note(MODEL, reported, estimate)).toBe(false);
    expect(windows.of(MODEL)).toBeUndefined();
  });

  it('takes no prompt for cut that is far shorter than one before', () => {
    expect(windows.note(MODEL, usage(14_000), 15_000)).toBe(false);
    expect(windows.note(MODEL, usage(4_096), 16_000)).toBe(false);
    expect(windows.of(MODEL)).toBeUndefined();
  });
});
