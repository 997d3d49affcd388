import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { warnOfUndecorated } from '../../kernel/warn-of-undecorated.js';
import { doneWithin } from '../../kernel/async/promises.js';
import { showOnOneLine } from '../../tools/text/show-unseen.js';
import type { OwnedCall } from '../matching/permission-call.js';
import { JudgeProvider, PermissionJudge } from './permission-judge.js';
import type { Opinion } from './permission-judge.js';
import type { Verdict } from '../policy/verdict.js';
import { messageOf } from '../../kernel/app-error.js';
import { requireDistinctNames } from '../../kernel/duplicate-name.js';
import { cutText } from '../../kernel/text/cut-text.js';
import type { Decision, TraceEntry } from '../../protocol/wire/rule.js';

const TIMEOUT_MS = 10_000;
const MAX_REASON = 1_000;
const STRICTNESS: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };
const VERB = { allow: 'Allows', deny: 'Denies', ask: 'Asks about' } as const;

const JUDGE = { base: PermissionJudge, decorator: JudgeProvider, written: '@JudgeProvider()' };

/** The opinion of a judge, by its name. */
interface Said extends Opinion {
  readonly judge: string;
}

/** The rules in code: the providers marked with `@JudgeProvider`. */
@Injectable()
export class CodeJudges implements OnModuleInit {
  private all: readonly PermissionJudge[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const found = this.discovery.getProviders({ metadataKey: JudgeProvider.KEY });
    this.use(found.map(({ instance, name }) => requireJudge(instance, String(name))));
    warnOfUndecorated(this.discovery, JUDGE);
  }

  /** @throws AppError `duplicate_name` */
  use(judges: readonly PermissionJudge[]): void {
    requireDistinctNames('permission judges', judges);
    this.all = judges.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The verdict of the rules, as the judges leave it. */
  async review(call: OwnedCall, verdict: Verdict): Promise<Verdict> {
    if (this.all.length === 0) return verdict;
    const said = await this.ask(call);
    const trace = [...verdict.trace, ...said.map(toEntry)];
    const strictest = said.reduce<Said | undefined>(stricter, undefined);
    if (!strictest || !overrules(strictest, verdict)) return { ...verdict, trace };
    const { decision, judge, reason: why } = strictest;
    const reason = `${VERB[decision]} ${call.tool_name}: the judge ${judge} says: ${why}`;
    return { decision, rule: null, rules: [], reason: showOnOneLine(reason), trace };
  }

  private async ask(call: OwnedCall): Promise<Said[]> {
    const frozen = structuredClone(call);
    const said = await Promise.all(this.all.map((judge) => opinionOf(judge, frozen)));
    return said.filter((each) => each !== undefined);
  }
}

async function opinionOf(judge: PermissionJudge, call: OwnedCall): Promise<Said | undefined> {
  const { name } = judge;
  try {
    const asked = Promise.resolve(judge.judge(call));
    if (!(await doneWithin(asked, TIMEOUT_MS))) throw new Error(`no answer in ${TIMEOUT_MS} ms`);
    const said: unknown = await asked;
    if (said === undefined) return undefined;
    const { decision, reason } = Object(said) as Partial<Opinion>;
    if (
      decision === undefined ||
      !Object.hasOwn(STRICTNESS, decision) ||
      typeof reason !== 'string'
    )
      throw new Error('it has to answer a decision (allow, ask or deny) and a reason');
    return { judge: name, decision, reason: cutText(reason, MAX_REASON) };
  } catch (error) {
    const why = messageOf(error);
    const reason = cutText(`it failed, so nothing passes. ${why}`, MAX_REASON);
    return { judge: name, decision: 'deny', reason };
  }
}

function stricter(a: Said | undefined, b: Said): Said {
  return a && STRICTNESS[a.decision] >= STRICTNESS[b.decision] ? a : b;
}

function overrules({ decision }: Said, verdict: Verdict): boolean {
  if (decision === 'allow') return verdict.decision === 'ask' && verdict.rule === null;
  return STRICTNESS[decision] > STRICTNESS[verdict.decision];
}

function toEntry({ judge, decision, reason }: Said): TraceEntry {
  const why = showOnOneLine(reason);
  return { rule: judge, level: 'judge', matched: true, decision, why };
}

function requireJudge(instance: unknown, provider: string): PermissionJudge {
  if (instance instanceof PermissionJudge) return instance;
  throw new Error(`@JudgeProvider() is on ${provider}, which does not extend PermissionJudge.`);
}
