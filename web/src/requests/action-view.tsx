import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { DiffView } from '../chat/tool-call/diff-view';
import { requestText as text } from '../strings/requests';
import { layOutJson, parseObject } from '../text/json';
import { visible } from '../text/visible';
import { splitAction } from './action';
import type { CardRequest } from './request';
import { Button } from '../ui/button';
import css from './requests.module.css';

/** The height of a line of code, in pixels. */
const LINE = 20;

/** The whole of what a call would do, and its arguments as they are. */
export function ActionView({ request }: { request: CardRequest }) {
  const { action = '', tool_input = '' } = request;
  const parts = useMemo(
    () => splitAction(action, parseObject(tool_input) ?? {}),
    [action, tool_input],
  );
  const { diff, code } = parts;
  const isPlain = diff === undefined && code === undefined;
  return (
    <>
      {isPlain ? (
        <Whole label={text.action}>{parts.text}</Whole>
      ) : (
        <p className={css['action']}>{visible(parts.text)}</p>
      )}
      {code !== undefined && <Whole label={text.action}>{code}</Whole>}
      {diff !== undefined && (
        <div className={css['diff']}>
          <DiffView diff={diff} isWhole />
        </div>
      )}
      <details>
        <summary>{text.input}</summary>
        <Whole label={text.input}>{layOutJson(tool_input)}</Whole>
      </details>
    </>
  );
}

/** A text that is never cut: it scrolls, and says how much is below. */
export function Whole({ label, children }: { label: string; children: string }) {
  const box = useRef<HTMLPreElement>(null);
  const [hidden, setHidden] = useState(0);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    const { scrollHeight, clientHeight } = box.current!;
    setHidden(isOpen ? 0 : Math.ceil((scrollHeight - clientHeight) / LINE));
  }, [children, isOpen]);
  return (
    <>
      <pre
        ref={box}
        className={css['whole']}
        data-open={isOpen}
        tabIndex={0}
        role="group"
        aria-label={label}
      >
        {visible(children)}
      </pre>
      {hidden > 0 && (
        <Button look="plain" data-testid="show-whole" onClick={() => setOpen(true)}>
          {text.moreLines(hidden)}
        </Button>
      )}
    </>
  );
}
