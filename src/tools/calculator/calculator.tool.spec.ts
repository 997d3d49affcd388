import { setImmediate } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { CalculatorThread } from './calculator-thread.js';
import { CalculatorTool } from './calculator.tool.js';

const calculator = new CalculatorTool();

/** Gives an expression a tenth of the usual time. */
const impatient = new CalculatorThread(100);
/** Gives an expression longer than a test may take. */
const patient = new CalculatorThread(3_600_000);

function calculate(expression: string): Promise<string> {
  return calculator.execute({ expression });
}

describe(CalculatorTool.name, () => {
  afterAll(() =>
    Promise.all([calculator.onApplicationShutdown(), impatient.stop(), patient.stop()]),
  );

  it.each([
    ['6*7', '42'],
    ['0.1+0.2', '0.3'],
    ['1/3', '0.33333333333333'],
    ['2^10', '1024'],
    ['2^100', '1267650600228229401496703205376'],
    ['9007199254740993*3', '27021597764222979'],
    ['sqrt(2)', '1.4142135623731'],
    ['sqrt(2)^2', '2'],
    ['2^0.5', '1.4142135623731'],
    ['2^-2', '0.25'],
    ['-2^2', '-4'],
    ['2^3^2', '512'],
    ['10/4', '2.5'],
    ['15% * 80', '12'],
    ['80 + 15%', '92'],
    ['-5 mod 3', '1'],
    ['10 % 3', '1'],
    ['5!', '120'],
    ['25!', '15511210043330985984000000'],
    ['100!', '9.3326215443944e+157'],
    ['2 pi', '6.2831853071796'],
    ['e', '2.718281828459'],
    ['sin(pi)', '0'],
    ['cos(60 deg)', '0.5'],
    ['tan(45 deg)', '1'],
    ['atan2(1, 1) / deg', '45'],
    ['log(e)', '1'],
    ['ln(e^2)', '2'],
    ['log(1000, 10)', '3'],
    ['log10(1000)', '3'],
    ['log2(8)', '3'],
    ['nthRoot(27, 3)', '3'],
    ['nthRoot(-27, 3)', '-3'],
    ['cbrt(-8)', '-2'],
    ['exp(1000)', '1.970071114017e+434'],
    ['round(2.5)', '3'],
    ['round(-2.5)', '-3'],
    ['round(2/3, 2)', '0.67'],
    ['floor(-2.5)', '-3'],
    ['ceil(2.1)', '3'],
    ['fix(-2.5)', '-2'],
    ['abs(-3)', '3'],
    ['sign(-3)', '-1'],
    ['min(3, 1, 2)', '1'],
    ['max(3, 1, 2)', '3'],
    ['sum(1, 2, 3)', '6'],
    ['mean(1, 2)', '1.5'],
    ['median(5, 1, 3, 2)', '2.5'],
    ['hypot(3, 4)', '5'],
    ['gcd(12, 18, 27)', '3'],
    ['lcm(4, 6)', '12'],
    ['combinations(50, 25)', '126410606437752'],
    ['permutations(5, 2)', '20'],
    ['0xff', '255'],
    ['1e3', '1000'],
    ['10^30', '1000000000000000000000000000000'],
    ['10^80', '1e+80'],
    ['1.5e25 / 7', '2.1428571428571e+24'],
    ['1/3e9', '3.3333333333333e-10'],
    ['(2^10 - 24) / 8', '125'],
  ])('calculates %s', async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ['1/0', 'Division by zero'],
    ['0^-1', 'Division by zero'],
    ['5 mod 0', 'Division by zero'],
    ['sqrt(-1)', 'sqrt has no real result'],
    ['(-8)^(1/3)', '^ has no real result'],
    ['asin(2)', 'asin has no real result'],
    ['log(0)', 'log is infinite'],
    ['exp(1e6)', 'exp is infinite'],
    ['2 +', 'Unexpected end of expression'],
    ['1,000 + 1', 'Unexpected operator ,'],
    ['foo(2)', 'Unknown function "foo". The functions are: abs,'],
    ['x + 1', 'Unknown constant "x". The constants are: pi,'],
    ['sqrt(1, 2)', 'Too many arguments in function sqrt'],
    ['max()', 'Too few arguments in function max'],
    ['round(1, 2, 3)', 'Too many arguments in function round'],
    ['round(1, 0.5)', 'must be an integer'],
    ['0.5!', 'Integer BigNumber expected'],
    ['gcd(0.5, 1)', 'must be integer numbers'],
    ['3 > 2', 'The operator ">" is not supported'],
  ])('says why %s has no result', async (expression, reason) => {
    await expect(calculate(expression)).rejects.toThrow(reason);
  });

  it.each([
    'zeros(1e5, 1e5)',
    '1:1e9',
    'sum(1:1e9)',
    '[1, 2, 3]',
    '{a: 1}',
    'x = 5',
    'f(x) = x^2',
    '1; 2',
    'true ? 1 : 2',
    'import({a: 1})',
    'createUnit("foo")',
    'evaluate("1+1")',
    'parse("1+1")',
    'simplify("x+x")',
    'derivative("x^2", "x")',
    'config({})',
    '"a".constructor',
    'cos.constructor',
    'constructor(1)',
    '__proto__',
    'toString()',
    'hasOwnProperty(1)',
    '5 cm to inch',
    'true',
    '"text"',
    "2'",
    '1 << 1000000000',
  ])('refuses %s', async (expression) => {
    await expect(calculate(expression)).rejects.toThrow(
      /^(Only numbers|Unknown|The operator|Can't read)/,
    );
  });

  it.each([
    '9^9^9^9',
    '2^1e15',
    '1.0000001^1e15',
    '1000000000!',
    '((((3!)!)!)!)!',
    '1000!!',
    'combinations(1e12, 5e11)',
    'permutations(1e12, 1e11)',
    'sin(10^4000)',
    'asinh(10^4000)',
    '1e999999999',
    '10^4999 * 10^4999',
    '('.repeat(500) + '1' + ')'.repeat(500),
    '-'.repeat(999) + '1',
    '2^'.repeat(499) + '2',
    'sqrt('.repeat(166) + '1' + ')'.repeat(166),
  ])('answers at once that %s is too much', async (expression) => {
    await expect(impatient.calculate(expression)).rejects.toThrow(
      /too large|too deeply|too long|Precision limit exceeded/,
    );
  });

  it.each([
    ['mod(10^4999, 7)+'.repeat(60) + '1', /^\d+$/],
    ['sqrt(2)^1000000*'.repeat(60) + '0', /too large/],
    ['3^999999+'.repeat(99) + '1', /too large/],
  ])('bounds the work of %s', async (expression, outcome) => {
    const result = patient.calculate(expression).catch((error: Error) => error.message);
    expect(await result).toMatch(outcome);
  });

  it('goes on after an expression that took too long, and answers those that wait', async () => {
    const time = jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const used = jest.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
    try {
      const endless = impatient.calculate('1000000000!').catch((error: Error) => error.message);
      const next = impatient.calculate('6 * 7');
      while (time.getTimerCount() === 0) await setImmediate(); // until it has started
      time.advanceTimersByTime(100); // on a busy machine, without any CPU time
      expect(time.getTimerCount()).toBe(1);
      used.mockReturnValue({ user: 60_000, system: 40_000 });
      time.advanceTimersByTime(100);
      expect(await endless).toContain('too long');
      expect(await next).toBe('42');
    } finally {
      used.mockRestore();
      jest.useRealTimers();
    }
  });

  it('takes no expression that is empty or longer than 1,000 characters', () => {
    expect(calculator.input.safeParse({ expression: ' ' }).success).toBe(false);
    expect(calculator.input.safeParse({ expression: '1'.repeat(1_001) }).success).toBe(false);
    expect(calculator.input.safeParse({ expression: '1'.repeat(1_000) }).success).toBe(true);
  });
});
