// Entry point of the calculator's worker thread. Plain JavaScript: a worker loads it without a
// build step.
import { parentPort } from 'node:worker_threads';
import mathjs from 'mathjs/lib/browser/math.js'; // bundle: loads ten times faster

/** Significant digits of the calculation. */
const PRECISION = 64;
/** Maximum exponent: results beyond 10^±5000 are infinite or zero. */
const MAX_EXPONENT = 5_000;
const MAX_DEPTH = 100;
/** Significant digits shown of a number that is not an integer. */
const DIGITS = 14;
/** Numbers with exponents in this range are written without an exponent. */
const PLAIN = { lowerExp: -7, upperExp: 21 };

const math = mathjs.create(mathjs.all);
math.config({ number: 'BigNumber', precision: PRECISION, predictable: true });
const Decimal = math.bignumber(0).constructor;
Decimal.set({ maxE: MAX_EXPONENT, minE: -MAX_EXPONENT });

/** Operations whose second operand must not be zero. */
const DIVISIONS = new Set(['divide', 'mod']);
const OPERATORS = new Set(
  'add subtract multiply divide mod pow unaryMinus unaryPlus factorial'.split(' '),
);
// The supported functions of numbers. Ranges and matrices are left out on purpose: a large one
// crashes the whole process ("invalid size error" of V8), also from a worker thread.
const FUNCTIONS = new Map(
  (
    'abs sign ceil floor fix round sqrt cbrt square cube pow mod factorial combinations permutations ' +
    'min max sum mean median hypot gcd lcm exp expm1 log log10 log2 log1p sin cos tan asin acos atan ' +
    'sinh cosh tanh asinh acosh atanh atan2 nthRoot'
  )
    .split(' ')
    .map((name) => [name, math[name]]),
);
FUNCTIONS.set('ln', math.log);
// Results below this are rounded to zero: pi has 64 digits, so the sine of pi is not exactly zero.
const NOISE = new Decimal(10).pow(4 - PRECISION);
for (const name of ['sin', 'cos', 'tan'])
  FUNCTIONS.set(name, (...args) => {
    const value = math[name](...args);
    return value.abs().lt(NOISE) ? new Decimal(0) : value;
  });
const CONSTANTS = new Map(['pi', 'e', 'tau', 'phi'].map((name) => [name, math[name]]));
CONSTANTS.set('deg', math.pi.dividedBy(180));

parentPort.on('message', (expression) => {
  parentPort.postMessage({ kind: 'started', text: '' });
  try {
    parentPort.postMessage({ kind: 'result', text: format(evaluate(parse(expression), 0)) });
  } catch (error) {
    parentPort.postMessage({ kind: 'error', text: error.message });
  }
});

function parse(expression) {
  try {
    return math.parse(expression);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    throw new Error(`Can't read the expression: ${error.message}.`, { cause: error });
  }
}

/** Evaluates a node of the syntax tree; each intermediate value has to be a finite real number. */
function evaluate(node, depth) {
  if (depth > MAX_DEPTH) throw tooDeep();
  switch (node.type) {
    case 'ConstantNode':
      return numberOf(node.value);
    case 'SymbolNode':
      return lookUp(CONSTANTS, node.name, 'constant');
    case 'ParenthesisNode':
      return evaluate(node.content, depth + 1);
    case 'OperatorNode':
      if (!OPERATORS.has(node.fn))
        throw new Error(`The operator "${node.op}" is not supported: use + - * / ^ % mod !.`);
      return apply(math[node.fn], { fn: node.fn, name: node.op, args: node.args, depth });
    case 'FunctionNode': {
      const name = node.fn.type === 'SymbolNode' ? node.fn.name : '';
      const of = lookUp(FUNCTIONS, name, 'function');
      return apply(of, { fn: name, name, args: node.args, depth });
    }
    default:
      throw new Error('Only numbers, operators, functions and constants are understood.');
  }
}

function apply(of, { fn, name, args, depth }) {
  const values = args.map((node) => evaluate(node, depth + 1));
  if (DIVISIONS.has(fn) && values[1]?.isZero()) throw new Error('Division by zero.');
  if (fn === 'pow' && values[0]?.isZero() && values[1]?.isNegative())
    throw new Error('Division by zero.');
  return finite(of(...values), name);
}

/** Converts a literal; the 100 of a percentage is a plain number. */
function numberOf(value) {
  if (typeof value === 'number') return new Decimal(value);
  if (math.isBigNumber(value)) return finite(value, 'A number');
  throw new Error('Only numbers are understood, no text, true or false.');
}

function finite(result, name) {
  const value = typeof result === 'number' ? new Decimal(result) : result;
  if (!math.isBigNumber(value) || value.isNaN())
    throw new Error(`${name} has no real result here.`);
  if (!value.isFinite()) throw new Error(`${name} is infinite or too large to calculate with.`);
  return value;
}

function lookUp(table, name, kind) {
  const found = table.get(name);
  if (found) return found;
  throw new Error(`Unknown ${kind} "${name}". The ${kind}s are: ${[...table.keys()].join(', ')}.`);
}

function tooDeep() {
  return new Error('The expression is nested too deeply. Calculate it in parts.');
}

/** Formats integers in full as far as they are exact, other numbers to 14 digits. */
function format(value) {
  if (value.isInteger() && value.e < PRECISION) return value.toFixed(0);
  return math.format(value, { precision: DIGITS, ...PLAIN });
}
