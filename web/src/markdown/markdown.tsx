import { memo, useState } from 'react';
import type { Token, Tokens } from 'marked';
import { text } from '../strings/chat';
import { visible } from '../text/visible';
import { BlockReader } from './blocks';
import { CodeBlock } from './code-block';
import { inline } from './inline';
import css from './markdown.module.css';

/** Deeper quotes and lists are shown as they were written. */
const MOST_DEPTH = 12;
/** Number of items of a list or a table that are shown until a reader asks for more. */
const FIRST_ITEMS = 300;

/**
 * Markdown as elements. The text comes from models and files: there is no HTML in between, and
 * nothing is loaded or run.
 */
export function Markdown({ source, isOpen = false }: { source: string; isOpen?: boolean }) {
  const [reader] = useState(() => new BlockReader());
  const { tokens, rest } = reader.blocks(source, isOpen);
  return (
    <div className={css['markdown']}>
      {tokens.map((token, index) => (
        <Block key={index} token={token} raw={token.raw} />
      ))}
      {rest !== '' && <Rest source={rest} />}
    </div>
  );
}

/** Drawn again only if its source has changed: the tokens are new objects each time. */
const Block = memo(
  ({ token }: { token: Token; raw: string }) => <>{block(token, 0)}</>,
  (a, b) => a.raw === b.raw && a.token.type === b.token.type,
);

function block(token: Token, depth: number): React.ReactNode {
  if (depth > MOST_DEPTH) return <p>{visible(token.raw)}</p>;
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return null;
    case 'hr':
      return <hr />;
    case 'heading':
      return heading(token as Tokens.Heading);
    case 'paragraph':
      return <p>{inline((token as Tokens.Paragraph).tokens)}</p>;
    case 'text': {
      const { tokens, text: content } = token as Tokens.Text;
      return <p>{tokens ? inline(tokens) : visible(content)}</p>;
    }
    case 'code': {
      const { text: code, lang } = token as Tokens.Code;
      return <CodeBlock code={code} language={lang ?? ''} />;
    }
    case 'blockquote':
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, depth + 1)}</blockquote>;
    case 'list':
      return <List list={token as Tokens.List} depth={depth} />;
    case 'table':
      return <Table table={token as Tokens.Table} />;
    default:
      // HTML, and what later versions of the lexer know: as it was written.
      return <p>{visible(token.raw)}</p>;
  }
}

function blocks(tokens: readonly Token[], depth: number): React.ReactNode {
  return tokens.map((token, index) => <BlockAt key={index} token={token} depth={depth} />);
}

function BlockAt({ token, depth }: { token: Token; depth: number }) {
  return <>{block(token, depth)}</>;
}

/** Two levels below the title of the page. */
function heading({ depth, tokens }: Tokens.Heading): React.ReactNode {
  const Level = `h${Math.min(depth + 2, 6)}` as 'h3' | 'h4' | 'h5' | 'h6';
  return <Level data-level={depth}>{inline(tokens)}</Level>;
}

function List({ list, depth }: { list: Tokens.List; depth: number }) {
  const [most, setMost] = useState(FIRST_ITEMS);
  const { ordered, start, items } = list;
  const Element = ordered ? 'ol' : 'ul';
  return (
    <>
      <Element {...(ordered && typeof start === 'number' && start !== 1 && { start })}>
        {items.slice(0, most).map((item, index) => (
          <li key={index} {...(item.task && { className: css['task'] })}>
            {item.task && (
              <input type="checkbox" checked={item.checked ?? false} disabled aria-label="" />
            )}
            {item.loose ? blocks(item.tokens, depth + 1) : tight(item.tokens, depth + 1)}
          </li>
        ))}
      </Element>
      <More left={items.length - most} onMore={() => setMost(most * 10)} />
    </>
  );
}

/** Items without blank lines between them have no paragraphs. */
function tight(tokens: readonly Token[], depth: number): React.ReactNode {
  return tokens.map((token, index) => {
    if (token.type !== 'text') return <BlockAt key={index} token={token} depth={depth} />;
    const { tokens: inner, text: content } = token as Tokens.Text;
    return <span key={index}>{inner ? inline(inner) : visible(content)}</span>;
  });
}

function Table({ table }: { table: Tokens.Table }) {
  const [most, setMost] = useState(FIRST_ITEMS);
  const { header, rows, align } = table;
  const aligned = (column: number) => align[column] ?? undefined;
  return (
    <>
      {/* A table that is wider than the page is scrolled, with keys too. */}
      <section className={css['table']} tabIndex={0} aria-label={text.table}>
        <table>
          <thead>
            <tr>
              {header.map((cell, column) => (
                <th key={column} scope="col" data-align={aligned(column)}>
                  {inline(cell.tokens)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => (
                  <td key={column} data-align={aligned(column)}>
                    {inline(cell.tokens)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <More left={rows.length - most} onMore={() => setMost(most * 10)} />
    </>
  );
}

function More({ left, onMore }: { left: number; onMore: () => void }) {
  if (left <= 0) return null;
  return (
    <button type="button" className={css['more']} onClick={onMore}>
      {text.showMore(left)}
    </button>
  );
}

/** The end of a very long text, in pieces, as it was written. */
function Rest({ source }: { source: string }) {
  const [shown, setShown] = useState(0);
  const left = source.length - shown;
  return (
    <>
      {shown > 0 && <pre className={css['rest']}>{visible(source.slice(0, shown))}</pre>}
      {left > 0 && (
        <button type="button" className={css['more']} onClick={() => setShown(shown + 200_000)}>
          {text.showRest(left)}
        </button>
      )}
    </>
  );
}
