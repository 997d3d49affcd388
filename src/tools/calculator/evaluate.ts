import type {
  BigNumber,
  ConstantNode,
  FunctionNode,
  MathNode,
  OperatorNode,
  ParenthesisNode,
  SymbolNode,
} from 'mathjs';
import { CONSTANTS } from './constants.js';
import { functionsOf } from './functions.js';
import type { MathEngine } from './math-engine.js';
import { MathFault } from './math-fault.js';
import type { MathFunction, Values } from './math-function.js';
import { operatorsOf } from './operators.js';

const MAX_DEPTH = 100;

/**
 * The value of an expression. Only what is listed in the tables of operators, functions and constants exists, and
 * each entry takes bounded time; everything else mathjs can read (assignments, matrices, ranges, text, properties) is refused.
 * @throws MathFault
 */
export function evaluate(expression: string, engine: MathEngine): BigNumber {
  return new Evaluation(engine).of(parse(expression, engine), 0);
}

function parse(expression: string, engine: MathEngine): MathNode {
  try {
    return engine.parse(expression);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    throw new MathFault(`Can't read the expression: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

class Evaluation {
  private readonly operators: ReadonlyMap<string, MathFunction>;
  private readonly functions: ReadonlyMap<string, MathFunction>;

  constructor(private readonly engine: MathEngine) {
    this.operators = operatorsOf(engine);
    this.functions = functionsOf(engine);
  }

  of(node: MathNode, depth: number): BigNumber {
    if (depth > MAX_DEPTH) throw tooDeep();
    switch (node.type) {
      case 'ConstantNode':
        return this.number((node as ConstantNode).value);
      case 'SymbolNode':
        return this.constant((node as SymbolNode).name);
      case 'ParenthesisNode':
        return this.of((node as ParenthesisNode).content, depth + 1);
      case 'OperatorNode':
        return this.operation(node as OperatorNode, depth);
      case 'FunctionNode':
        return this.call(node as FunctionNode, depth);
      default:
        throw new MathFault(`Only numbers, operators, functions and constants are understood.`);
    }
  }

  private number(value: unknown): BigNumber {
    if (typeof value === 'number') return this.engine.decimal(value); // the 100 of a percentage
    if (typeof value === 'object' && value !== null) return finite(value as BigNumber, 'A number');
    throw new MathFault('Only numbers are understood, no text, true or false.');
  }

  private constant(name: string): BigNumber {
    const digits = CONSTANTS.get(name);
    if (digits) return this.engine.decimal(digits);
    throw new MathFault(`Unknown name "${name}". The constants are: ${known(CONSTANTS)}.`);
  }

  private operation({ fn, op, args }: OperatorNode, depth: number): BigNumber {
    const name: string = op;
    const apply = this.operators.get(fn);
    if (apply) return this.apply(apply, { name, args, depth });
    throw new MathFault(`The operator "${name}" is not supported: use + - * / ^ % mod !.`);
  }

  private call(node: FunctionNode, depth: number): BigNumber {
    const name = node.fn.type === 'SymbolNode' ? node.fn.name : '';
    const apply = this.functions.get(name);
    if (apply) return this.apply(apply, { name, args: node.args, depth });
    throw new MathFault(`Unknown function "${name}". The functions are: ${known(this.functions)}.`);
  }

  private apply(
    apply: MathFunction,
    { name, args, depth }: { name: string; args: readonly MathNode[]; depth: number },
  ): BigNumber {
    const values = args.map((node) => this.of(node, depth + 1));
    const { least, most } = apply;
    if (values.length < least || values.length > most)
      throw new MathFault(`${name} takes ${takes(least, most)}, not ${values.length}.`);
    return finite(apply.of(values as unknown as Values), name);
  }
}

function finite(value: BigNumber, name: string): BigNumber {
  if (value.isNaN()) throw new MathFault(`${name} has no real result here.`);
  if (!value.isFinite()) throw new MathFault(`${name} is infinite or too large to calculate with.`);
  return value;
}

function takes(least: number, most: number): string {
  if (most === Infinity) return `at least ${least} value`;
  if (least < most) return `${least} to ${most} values`;
  return least === 1 ? '1 value' : `${least} values`;
}

function known(table: ReadonlyMap<string, unknown>): string {
  return [...table.keys()].join(', ');
}

function tooDeep(): MathFault {
  return new MathFault('The expression is nested too deeply. Calculate it in parts.');
}
