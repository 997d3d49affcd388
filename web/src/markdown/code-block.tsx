import { memo, useEffect, useState } from 'react';
import { CopyButton } from '../ui/copy-button';
import { visible } from '../text/visible';
import type { Highlighted } from './highlight';
import css from './markdown.module.css';

/** Longer code is shown without colours, in UTF-16 code units. */
const MOST_HIGHLIGHTED = 50_000;

/** Code of a language, coloured once the highlighter has come. */
export const CodeBlock = memo(({ code, language }: { code: string; language: string }) => {
  const name = language.split(/[\s{,]/, 1)[0]!.toLowerCase();
  const shown = visible(code);
  return (
    <figure className={css['code']}>
      <figcaption>
        <span>{visible(name)}</span>
        <CopyButton text={code} />
      </figcaption>
      <pre tabIndex={0}>
        <code>
          <Coloured code={shown} language={name} />
        </code>
      </pre>
    </figure>
  );
});

function Coloured({ code, language }: { code: string; language: string }) {
  const [nodes, setNodes] = useState<{ code: string; of: readonly Highlighted[] }>();
  useEffect(() => {
    if (language === '' || code.length > MOST_HIGHLIGHTED) return;
    let isOver = false;
    const colour = async (): Promise<void> => {
      const { highlight } = await import('./highlight');
      const of = highlight(code, language);
      if (!isOver && of) setNodes({ code, of });
    };
    colour().catch(() => undefined); // without colours it reads as well
    return () => {
      isOver = true;
    };
  }, [code, language]);
  if (!nodes) return <>{code}</>;
  if (nodes.code === code) return <>{nodes.of.map(toElement)}</>;
  // While code is written, its beginning keeps its colours.
  if (code.startsWith(nodes.code))
    return (
      <>
        {nodes.of.map(toElement)}
        {code.slice(nodes.code.length)}
      </>
    );
  return <>{code}</>;
}

function toElement(node: Highlighted, index: number): React.ReactNode {
  if (typeof node === 'string') return node;
  return (
    <span key={index} className={node.className}>
      {node.children.map(toElement)}
    </span>
  );
}
