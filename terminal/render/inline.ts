import type { Token, Tokens } from 'marked';
import { span, styled } from './span.js';
import type { Line } from './span.js';
import { SGR } from './theme.js';

/** Inline tokens as spans. Each letter of the source is drawn, in its order. */
export function drawInline(tokens: readonly Token[] = []): Line {
  return tokens.flatMap(drawToken);
}

function drawToken(token: Token): Line {
  const inner = (): Line => drawInline((token as Tokens.Strong).tokens);
  switch (token.type) {
    case 'strong':
      return styled(inner(), SGR.bold);
    case 'em':
      return styled(inner(), SGR.italic);
    case 'del':
      return styled(inner(), SGR.strike);
    case 'codespan':
      return [span((token as Tokens.Codespan).text, SGR.code)];
    case 'br':
      return [span('\n')];
    case 'link':
    case 'image':
      return drawLink(token as Tokens.Link, inner());
    case 'text':
      return (token as Tokens.Text).tokens
        ? inner()
        : [span(unescapeHtml((token as Tokens.Text).text))];
    case 'escape':
      return [span((token as Tokens.Escape).text)];
    default:
      return [span(token.raw)];
  }
}

/** With its address, since a terminal does not show where a text leads. */
function drawLink({ text, href, type }: Tokens.Link | Tokens.Image, inner: Line): Line {
  const label = type === 'image' || inner.length === 0 ? [span(text)] : inner;
  const shown = styled(label, SGR.underline);
  return text === href || `mailto:${text}` === href
    ? shown
    : [...shown, span(` (${href})`, SGR.dim)];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity);
}
