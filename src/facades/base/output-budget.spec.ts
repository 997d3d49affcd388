import { OutputBudget } from './output-budget.js';

describe(OutputBudget.name, () => {
  it('leaves out what is too much, and no more', () => {
    const budget = new OutputBudget();
    const long = 'x'.repeat(3 * 1024 * 1024);
    expect(budget.take(long)).toBe(long);
    expect(budget.take(long)).toMatch(/^\[3145728 characters are left out/);
    expect(budget.take('42')).toBe('42');
  });
});
