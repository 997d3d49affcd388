import { usableToolName } from './streaming-tool-call.js';

describe(usableToolName.name, () => {
  it.each([
    ['calculator', 'calculator'],
    ['mcp__files-2', 'mcp__files-2'],
    ['functions.calculator', 'functions_calculator'],
    ['run this!', 'run_this_'],
    ['', 'unnamed'],
    ['🦜', '__'],
    ['x'.repeat(1_000), 'x'.repeat(64)],
  ])('makes of %j what every provider takes', (name, usable) => {
    expect(usableToolName(name)).toBe(usable);
  });
});
