import { coderInstructions } from './coder.agent.js';

describe(coderInstructions.name, () => {
  it('is the prompt, and what the project says of itself after it', () => {
    expect(coderInstructions('You code.', null)).toBe('You code.');
    expect(coderInstructions('You code.', 'Use tabs.')).toMatch(
      /^You code\.\n\n.*AGENTS\.md.*\n\nUse tabs\.$/,
    );
  });
});
