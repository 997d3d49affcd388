import type { Token, Tokens } from 'marked';
import { visible } from '../text/visible';
import css from './markdown.module.css';

/** Addresses that a link may have; others are shown as text. */
const SAFE = /^(?:https?:|mailto:)/i;
const MOST_DEPTH = 12;

export function inline(tokens: readonly Token[] | undefined, depth = 0): React.ReactNode {
  return tokens?.map((token, index) => <Inline key={index} token={token} depth={depth} />);
}

function Inline({ token, depth }: { token: Token; depth: number }): React.ReactNode {
  if (depth > MOST_DEPTH) return visible(token.raw);
  switch (token.type) {
    case 'strong':
      return <strong>{inline((token as Tokens.Strong).tokens, depth + 1)}</strong>;
    case 'em':
      return <em>{inline((token as Tokens.Em).tokens, depth + 1)}</em>;
    case 'del':
      return <del>{inline((token as Tokens.Del).tokens, depth + 1)}</del>;
    case 'codespan':
      return <code>{visible((token as Tokens.Codespan).text)}</code>;
    case 'checkbox': // drawn by the list
      return null;
    case 'br':
      return <br />;
    case 'link':
      return <Link link={token as Tokens.Link} depth={depth} />;
    case 'image':
      return <Picture image={token as Tokens.Image} />;
    case 'escape':
      return visible((token as Tokens.Escape).text);
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inline(tokens, depth + 1) : visible(text);
    }
    default:
      return visible(token.raw);
  }
}

function Link({ link: { href, tokens, raw }, depth }: { link: Tokens.Link; depth: number }) {
  if (!SAFE.test(href)) return <>{visible(raw)}</>;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {inline(tokens, depth + 1)}
    </a>
  );
}

/** Loading it would tell another server that the text is being read: a click opens it. */
function Picture({ image: { href, text, raw } }: { image: Tokens.Image }) {
  if (!/^https?:/i.test(href) || !URL.canParse(href)) return <>{visible(raw)}</>;
  return (
    <a className={css['picture']} href={href} target="_blank" rel="noopener noreferrer nofollow">
      {visible(text) || new URL(href).pathname.split('/').at(-1)} ({new URL(href).host})
    </a>
  );
}
