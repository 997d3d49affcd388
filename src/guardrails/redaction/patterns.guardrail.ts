import { Injectable } from '@nestjs/common';
import type { Sliced } from '../../kernel/async/sliced.js';
import { Guardrail } from '../guardrail.js';
import type { OpenFilter } from '../guardrail.js';
import { GuardrailProvider } from '../guardrail-provider.decorator.js';
import { ArgumentsFilter } from './arguments-filter.js';
import { PatternFilter } from './pattern-filter.js';
import { Redaction } from './redaction.js';

/** Redacts the matches of `REDACT_PATTERNS` in the output of agents and tools. */
@Injectable()
@GuardrailProvider()
export class PatternsGuardrail extends Guardrail {
  readonly name = 'patterns';
  override readonly enabled: boolean;

  constructor(private readonly redaction: Redaction) {
    super();
    this.enabled = redaction.patterns.length > 0;
  }

  override openOutput(): OpenFilter {
    const { patterns } = this.redaction;
    const counts = new Map<string, number>();
    const open = (): PatternFilter => new PatternFilter(patterns, counts);
    const redact = function* (text: string): Sliced<string> {
      const filter = open();
      return (yield* filter.pushSliced(text)) + (yield* filter.endSliced());
    };
    return (part) =>
      part === 'tool_input' ? new ArgumentsFilter(redact, () => open().remark) : open();
  }
}
