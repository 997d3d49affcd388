import { memo, useEffect, useRef, useState } from 'react';
import { CopyButton } from '../ui/copy-button';
import { visible } from '../text/visible';
import type { Highlighted } from './highlight';
import css from './markdown.module.css';

/** Longer code is shown without colours, in UTF-16 code units. */
const MAX_HIGHLIGHTED = 50_000;
/** Code that is being written is coloured again after this many times what it took. */
const REST = 30;

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
  const [coloured, setColoured] = useState<{ code: string; elements: React.ReactNode }>();
  const restsUntil = useRef(0);
  useEffect(() => {
    if (language === '' || code.length > MAX_HIGHLIGHTED) return;
    let isOver = false;
    const colour = async (): Promise<void> => {
      const { highlight } = await import('./highlight');
      if (isOver) return;
      const begun = performance.now();
      const nodes = highlight(code, language);
      const ended = performance.now();
      restsUntil.current = ended + (ended - begun) * REST;
      if (nodes) setColoured({ code, elements: nodes.map(toElement) });
    };
    const wait_ms = Math.max(0, restsUntil.current - performance.now());
    // Without colours it reads as well.
    const timer = setTimeout(() => void colour().catch(() => undefined), wait_ms);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [code, language]);
  // While code is written, its beginning keeps its colours.
  if (!coloured || !code.startsWith(coloured.code)) return <>{code}</>;
  return (
    <>
      {coloured.elements}
      {code.slice(coloured.code.length)}
    </>
  );
}

function toElement(node: Highlighted, index: number): React.ReactNode {
  if (typeof node === 'string') return node;
  return (
    <span key={index} className={node.className}>
      {node.children.map(toElement)}
    </span>
  );
}
