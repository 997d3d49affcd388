import { Injectable, Module } from '@nestjs/common';
import { Guardrail } from '../../../src/guardrails/guardrail.js';
import type { InputVerdict, OpenFilter, OutputVerdict } from '../../../src/guardrails/guardrail.js';
import { GuardrailProvider } from '../../../src/guardrails/guardrail-provider.decorator.js';

/** As an operator writes one: goes by words in the text. */
@Injectable()
@GuardrailProvider()
class WordsGuardrail extends Guardrail {
  readonly name = 'words';

  override async checkInput(text: string): Promise<InputVerdict> {
    if (text.includes('FORBIDDEN')) return { verdict: 'tripwire', reason: 'Not here.' };
    if (text.includes('HANG')) return new Promise(() => {});
    if (text.includes('BREAK')) throw new Error('out of order');
    if (!text.includes('Bob')) return { verdict: 'pass' };
    const replaced = text.replaceAll('Bob', 'somebody');
    return { verdict: 'replace', text: replaced, reason: 'Names were taken out.' };
  }

  override openOutput(): OpenFilter {
    return (part) => {
      if (part !== 'text') return undefined;
      let seen = '';
      const push = (text: string): string => {
        seen += text;
        if (seen.includes('STOP')) throw new Error('The model said STOP.');
        return text;
      };
      return { push, end: () => '' };
    };
  }

  override checkOutput(text: string): OutputVerdict {
    if (!text.includes('afterwards')) return { verdict: 'pass' };
    return { verdict: 'tripwire', reason: 'It said afterwards.' };
  }
}

@Module({ providers: [WordsGuardrail] })
export class GuardTestModule {}
