import { Fragment, memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { CopyButton } from '../ui/copy-button';
import { visible } from '../text/visible';
import { areAlike, linesOf } from './code-lines';
import type { CodeLine } from './code-lines';
import type { Highlighted } from './code-colours';
import css from './markdown.module.css';

/** Longer code is shown without colours, in UTF-16 code units. */
const MAX_HIGHLIGHTED = 50_000;
/** Code that is being written is coloured again after this many times what it took. */
const REST = 50;
/** Number of lines. */
const IN_A_PART = 40;
/** Within so many pixels of the end a reader is taken to be there. */
const NEAR = 24;

/** Code of a language, coloured once the highlighter has come. */
export const CodeBlock = memo(({ code, language }: { code: string; language: string }) => {
  const name = language.split(/[\s{,]/, 1)[0]!.toLowerCase();
  const shown = visible(code);
  const { box, onScroll } = useEndInSight(code);
  return (
    <figure className={css['code']}>
      <figcaption>
        <span>{visible(name)}</span>
        <CopyButton text={code} />
      </figcaption>
      <pre tabIndex={0} ref={box} onScroll={onScroll}>
        <code>
          <Coloured code={shown} language={name} />
        </code>
      </pre>
    </figure>
  );
});

/** Keeps the end in sight while code is written, unless the reader has scrolled away from it. */
function useEndInSight(code: string) {
  const box = useRef<HTMLPreElement>(null);
  const sticks = useRef(true);
  const first = useRef(code);
  useLayoutEffect(() => {
    if (sticks.current && code !== first.current)
      box.current!.scrollTop = box.current!.scrollHeight;
  }, [code]);
  const onScroll = (): void => {
    const { scrollHeight, scrollTop, clientHeight } = box.current!;
    sticks.current = scrollHeight - scrollTop - clientHeight < NEAR;
  };
  return { box, onScroll };
}

function Coloured({ code, language }: { code: string; language: string }) {
  const [coloured, setColoured] = useState<{ code: string; lines: readonly CodeLine[] }>();
  const restsUntil = useRef(0);
  useEffect(() => {
    if (language === '' || code.length > MAX_HIGHLIGHTED) return;
    let isOver = false;
    const colour = async (): Promise<void> => {
      const { colours, knows } = await import('./highlight');
      if (isOver || !knows(language)) return;
      const all: Highlighted[] = [];
      let spent_ms = 0;
      for (const { nodes, took_ms } of colours.of(code, language)) {
        all.push(...nodes);
        spent_ms += took_ms;
        restsUntil.current = performance.now() + spent_ms * REST;
        if (took_ms > 0) await nextTask();
        if (isOver) return;
      }
      setColoured({ code, lines: linesOf(all) });
    };
    const wait_ms = Math.max(0, restsUntil.current - performance.now());
    // Without colours it reads as well.
    const timer = setTimeout(() => void colour().catch(() => undefined), wait_ms);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [code, language]);
  const lines = useMemo(() => {
    // While code is written, its beginning keeps its colours.
    if (!coloured || !code.startsWith(coloured.code)) return linesOf([code]);
    const [rest = [], ...more] = linesOf([code.slice(coloured.code.length)]);
    const last = coloured.lines.at(-1) ?? [];
    return [...coloured.lines.slice(0, -1), [...last, ...rest], ...more];
  }, [code, coloured]);
  const starts = Array.from(
    { length: Math.ceil(lines.length / IN_A_PART) },
    (_, part) => part * IN_A_PART,
  );
  return starts.map((start) => {
    const end = start + IN_A_PART;
    return <Part key={start} lines={lines.slice(start, end)} isLast={end >= lines.length} />;
  });
}

/** Lets the page answer to its reader. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Drawn, laid out and painted by itself: what is added below costs nothing here. */
const Part = memo(
  ({ lines, isLast }: { lines: readonly CodeLine[]; isLast: boolean }) => (
    <span className={css['part']}>
      {lines.map((line, index) => (
        <Fragment key={index}>
          {line.map(toElement)}
          {!(isLast && index === lines.length - 1) && '\n'}
        </Fragment>
      ))}
    </span>
  ),
  (a, b) => a.isLast === b.isLast && areAlike(a.lines, b.lines),
);

function toElement(node: Highlighted, index: number): React.ReactNode {
  if (typeof node === 'string') return node;
  return (
    <span key={index} className={node.className}>
      {node.children.map(toElement)}
    </span>
  );
}
