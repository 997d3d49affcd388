import { createHash } from 'node:crypto';
// oxlint-disable-next-line import/default -- to Node it is CommonJS, all of it the default export
import jsonc from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { nearestNames } from '../../kernel/text/nearest-names.js';
import { findInexact } from '../../kernel/json/exact-json.js';
import { canonicalJson } from '../../kernel/json/json.js';
import { checkRule } from '../rules/check-rule.js';
import { ruleSchema } from '../rules/rule-schema.js';
import { RulesFileError } from './rules-file-error.js';
import type { RulesFileFault } from './rules-file-error.js';
import type { PermissionRule } from '../../protocol/wire/rule.js';

type Path = readonly (string | number)[];

const MAX_RULES = 10_000;
const MAX_FAULTS = 50;
const FIELDS = [...Object.keys(ruleSchema.shape), 'id'];

/**
 * Parses `{"rules": […]}` or a list of rules.
 * @param name name of the file, for error messages
 * @throws RulesFileError with every fault, by line and column
 */
export function parseRules(text: string, name: string): PermissionRule[] {
  return new RulesParser(text, name).parse();
}

class RulesParser {
  private readonly faults: RulesFileFault[] = [];
  private readonly ids = new Set<string>();

  constructor(
    private readonly text: string,
    private readonly name: string,
  ) {}

  parse(): PermissionRule[] {
    const root = this.parseTree();
    const path: Path = root?.type === 'array' ? [] : ['rules'];
    const list = root && jsonc.findNodeAtLocation(root, [...path]);
    if (root && list?.type !== 'array')
      this.fault(
        root,
        list ? path : [],
        'has to be a list of rules, or an object with one in "rules"',
      );
    const nodes = list?.type === 'array' ? (list.children ?? []) : [];
    if (nodes.length > MAX_RULES) this.fault(list!, path, `has more than ${MAX_RULES} rules`);
    const rules = nodes
      .slice(0, MAX_RULES)
      .flatMap((node, at) => this.parseRule(node, [...path, at]));
    if (this.faults.length > 0) throw new RulesFileError(this.faults.slice(0, MAX_FAULTS));
    return rules;
  }

  private parseTree(): Node | undefined {
    const errors: ParseError[] = [];
    const root = jsonc.parseTree(this.text, errors, { disallowComments: false });
    for (const { error, offset } of errors)
      this.faultAt(offset, '', `is not valid JSON (${toWords(jsonc.printParseErrorCode(error))})`);
    if (!root && errors.length === 0) this.faultAt(0, '', 'is empty');
    if (root) this.checkDuplicates(root, []);
    return errors.length > 0 ? undefined : root;
  }

  private parseRule(node: Node, path: Path): PermissionRule[] {
    const value = jsonc.getNodeValue(node) as unknown;
    const misspelt = this.findMisspelt(node, path);
    const checked = checkRule(value);
    if (!checked.ok)
      for (const fault of checked.faults) this.fault(node, path, fault.message, fault.path);
    if (!checked.ok || misspelt) return [];
    const id = this.takeId(node, path, (value as { id?: unknown }).id);
    return [{ ...checked.rule, id, uses: 0, created_at: null }];
  }

  /**
   * Returns the given id; without one, derives an id that is stable as long as the rule does not
   * change.
   */
  private takeId(node: Node, path: Path, given: unknown): string {
    if (given !== undefined && !(typeof given === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(given)))
      this.fault(node, path, 'has to be 1 to 64 letters, digits, _ or -', ['id']);
    const content = canonicalJson(jsonc.getNodeValue(node));
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 24);
    const base = typeof given === 'string' ? given : `rule_file_${hash}`;
    if (typeof given === 'string' && this.ids.has(base))
      this.fault(node, path, 'is the id of another rule, too', ['id']);
    let id = base;
    for (let copy = 2; this.ids.has(id); copy++) id = `${base}_${copy}`;
    this.ids.add(id);
    return id;
  }

  /** Unknown fields are kept, but a misspelt limit must not be ignored. */
  private findMisspelt(node: Node, path: Path): boolean {
    if (node.type !== 'object') return false;
    const before = this.faults.length;
    for (const { children } of node.children ?? []) {
      const name = String(children?.[0]?.value);
      const [near] = FIELDS.includes(name) ? [] : nearestNames(name, FIELDS);
      if (near !== undefined)
        this.faultAt(
          children![0]!.offset,
          format([...path, name]),
          `is not a known field; did you mean ${near}?`,
        );
    }
    return this.faults.length > before;
  }

  /** A rule with a changed number would cover another call. */
  private checkNumber(node: Node, path: Path): void {
    const number = findInexact(this.text.slice(node.offset, node.offset + node.length));
    if (number !== undefined)
      this.faultAt(node.offset, format(path), 'would be changed: write the number as a string');
  }

  private checkDuplicates(node: Node, path: Path): void {
    if (node.type === 'number') this.checkNumber(node, path);
    const seen = new Set<string>();
    for (const [at, child] of (node.children ?? []).entries()) {
      if (node.type === 'array') this.checkDuplicates(child, [...path, at]);
      if (child.type !== 'property') continue;
      const [key, value] = child.children ?? [];
      const name = String(key?.value);
      if (seen.has(name)) this.faultAt(child.offset, format([...path, name]), 'is there twice');
      seen.add(name);
      if (value) this.checkDuplicates(value, [...path, name]);
    }
  }

  /** Reports a fault at the field; if the field is missing, at the node that should contain it. */
  private fault(node: Node, path: Path, message: string, field: Path = []): void {
    let place = node;
    for (let depth = field.length; depth > 0; depth--) {
      const found = jsonc.findNodeAtLocation(node, field.slice(0, depth));
      if (!found) continue;
      place = found;
      break;
    }
    this.faultAt(place.offset, format([...path, ...field]), message);
  }

  private faultAt(offset: number, field: string, message: string): void {
    const before = this.text.slice(0, offset).split('\n');
    const position = `${before.length}:${before.at(-1)!.length + 1}`;
    const place = `${this.name}:${position}${field === '' ? '' : ` ${field}`}`;
    this.faults.push({ place, message });
  }
}

/** Formats a path as `rules[3].matcher.pattern`. */
function format(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/** Converts an error code to words: `CommaExpected` → `comma expected`. */
function toWords(code: string): string {
  return code.replace(/(?!^)([A-Z])/g, ' $1').toLowerCase();
}
