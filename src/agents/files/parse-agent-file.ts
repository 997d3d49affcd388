import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import { checkRule } from '../../permissions/rules/check-rule.js';
import { nearestNames } from '../../kernel/text/nearest-names.js';
import type { AgentDefinition } from './agent-definition.js';
import { AGENT_FIELDS, agentSchema } from './agent-schema.js';
import type { AgentFields } from './agent-schema.js';
import type { PermissionRule, RuleInput } from '../../protocol/wire/rule.js';

/** A fault, and the line of the file that it is in, from 1. */
export interface LineFault {
  readonly line: number;
  readonly message: string;
}

export type ParsedAgent =
  | { readonly ok: true; readonly definition: AgentDefinition; lineOf(field: string): number }
  | { readonly ok: false; readonly faults: readonly LineFault[] };

type Path = readonly PropertyKey[];
type Report = (path: Path, message: string) => void;

const MAX_ALIASES = 100;
/** Values with which other programs mean the default model. */
const INHERIT = 'inherit';

/**
 * Reads Markdown with YAML front matter; the text after it is the agent's instructions.
 * @param name of the agent unless the file has one
 */
export function parseAgentFile(text: string, name: string): ParsedAgent {
  const parts = splitFrontMatter(text);
  if (!parts)
    return refuse(
      'has to begin with a line of ---, then fields such as "description: …", then a line of ---',
    );
  const head = new Head(parts.yaml, parts.offset);
  if (head.faults.length > 0) return { ok: false, faults: head.faults };
  const faults: LineFault[] = [];
  const report: Report = (path, message) =>
    faults.push({ line: head.lineOf(path), message: `${format(path)}${message}` });
  const { data, error } = agentSchema.safeParse(head.value);
  for (const { path, message } of error?.issues ?? []) report(path, message);
  head.reportMisspelt(report);
  const definition = data && toDefinition(data, { name, instructions: parts.body, report });
  if (parts.body === '')
    faults.push({ line: 1, message: 'has no text after its head: the agent’s instructions' });
  if (!definition || faults.length > 0) return { ok: false, faults };
  return { ok: true, definition, lineOf: (field) => head.lineOf([field]) };
}

function refuse(message: string): ParsedAgent {
  return { ok: false, faults: [{ line: 1, message }] };
}

/** The YAML before the instructions. */
class Head {
  readonly faults: readonly LineFault[];
  readonly value: unknown;
  private readonly lines = new LineCounter();
  private readonly document: Document;

  constructor(
    yaml: string,
    private readonly offset: number,
  ) {
    this.document = parseDocument(yaml, { lineCounter: this.lines, prettyErrors: false });
    const faults = this.document.errors.map(({ pos, message }) => this.fault(pos[0], message));
    try {
      if (faults.length === 0)
        this.value = this.document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
    } catch (error) {
      faults.push(this.fault(0, (error as Error).message));
    }
    this.faults = faults;
  }

  /** Line of the field, or of its parent. */
  lineOf(path: Path): number {
    for (let length = path.length; length > 0; length--) {
      const at = this.offsetOf(path.slice(0, length));
      if (at !== undefined) return this.lineAt(at);
    }
    return 1;
  }

  /** Unknown fields belong to other programs; a misspelt one must not be ignored. */
  reportMisspelt(report: Report): void {
    for (const field of Object.keys(this.value ?? {})) {
      if (AGENT_FIELDS.includes(field)) continue;
      const [near] = nearestNames(field, AGENT_FIELDS);
      if (near !== undefined) report([field], `is not a known field; did you mean ${near}?`);
    }
  }

  private fault(offset: number, message: string): LineFault {
    return { line: this.lineAt(offset), message: `is not valid YAML: ${message}` };
  }

  private offsetOf(path: Path): number | undefined {
    const holder: unknown =
      path.length > 1 ? this.document.getIn(path.slice(0, -1), true) : this.document.contents;
    const last = path.at(-1);
    if (!isMap(holder)) return rangeOf(this.document.getIn(path, true));
    const pair = holder.items.find(
      ({ key }) => isScalar(key) && String(key.value) === String(last),
    );
    return rangeOf(pair?.key);
  }

  private lineAt(offset: number): number {
    return this.lines.linePos(offset).line + this.offset;
  }
}

function rangeOf(node: unknown): number | undefined {
  return (node as { range?: [number, number, number] } | undefined)?.range?.[0];
}

function toDefinition(
  fields: AgentFields,
  { name: fileName, instructions, report }: { name: string; instructions: string; report: Report },
): AgentDefinition {
  const { description, model, tools, max_iterations } = fields;
  const name = fields.name ?? fileName;
  return {
    name,
    description,
    instructions,
    ...(model && model !== INHERIT && { model }),
    ...(tools && { tools }),
    ...(max_iterations && { max_iterations }),
    permissions: toRules(fields.permissions, name, report),
  };
}

function toRules(
  permissions: AgentFields['permissions'],
  agent: string,
  report: Report,
): RuleInput[] {
  const scope = { scope: 'agent', scope_id: agent };
  if (!Array.isArray(permissions))
    return Object.entries(permissions).flatMap(([pattern, decision]) =>
      toRule(
        { ...scope, decision, matcher: { type: 'tool', pattern } },
        ['permissions', pattern],
        report,
      ),
    );
  return permissions.flatMap((rule, at) =>
    toRule({ ...rule, ...scope }, ['permissions', at], report),
  );
}

function toRule(value: Partial<PermissionRule> | object, path: Path, report: Report): RuleInput[] {
  const checked = checkRule(value);
  if (!checked.ok) {
    for (const fault of checked.faults) report([...path, ...fault.path], fault.message);
    return [];
  }
  if (checked.rule.max_uses === null) return [checked.rule];
  report([...path, 'max_uses'], 'can’t be counted here: add such a rule over the API');
  return [];
}

/** `permissions[0].matcher ` */
function format(path: Path): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return path.length === 0 ? '' : `${steps.join('').slice(1)} `;
}

/** The head of a Markdown file, between two lines of `---`, and what comes after. */
interface FrontMatter {
  readonly yaml: string;
  /** Lines of the file before the head's first. */
  readonly offset: number;
  readonly body: string;
}

const FENCE = /^---[ \t]*$/;

/** undefined: it has no head, or one without an end. */
function splitFrontMatter(text: string): FrontMatter | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (!FENCE.test(lines[0]!)) return undefined;
  const end = lines.findIndex((line, at) => at > 0 && FENCE.test(line));
  if (end === -1) return undefined;
  return {
    yaml: lines.slice(1, end).join('\n'),
    offset: 1,
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}
