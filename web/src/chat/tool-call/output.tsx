import Anser from 'anser';
import { useMemo, useState } from 'react';
import { text } from '../../strings/chat';
import { visible } from '../../text/visible';
import { CopyButton } from '../../ui/copy-button';
import css from './tool-call.module.css';

const FIRST_LINES = 8;
/** At most so much of an output is drawn, in UTF-16 code units: its beginning and its end. */
const MOST_SHOWN = 60_000;
const COLUMNS = 2000;

/**
 * Output of a tool: eight lines, and more on request. Of one that runs the last eight. All of one
 * that is too long to be drawn can be copied.
 */
export function Output(props: { text: string; isOpen: boolean; isError: boolean }) {
  const { isOpen, isError } = props;
  const [isWhole, setWhole] = useState(false);
  const { lines, hidden, isCut } = useMemo(
    () => linesOf(props.text, isOpen, isWhole),
    [props.text, isOpen, isWhole],
  );
  if (props.text === '') return <p className={css['note']}>{text.noOutput}</p>;
  return (
    <div className={css['output']} data-error={isError}>
      <pre tabIndex={0}>{isError ? lines : <Ansi source={lines} />}</pre>
      {(hidden > 0 || isCut || isWhole) && (
        <button type="button" onClick={() => setWhole(!isWhole)}>
          {isWhole ? text.fewerLines : hidden > 0 ? text.lines(hidden) : text.wholeLines}
        </button>
      )}
      {props.text.length > MOST_SHOWN && <CopyButton text={props.text} label={text.copyAll} />}
    </div>
  );
}

function linesOf(output: string, isOpen: boolean, isWhole: boolean) {
  const left = output.length - MOST_SHOWN;
  const [begin, end] = [output.slice(0, MOST_SHOWN / 2), output.slice(-MOST_SHOWN / 2)];
  const bounded = left > 0 ? `${begin}\n${text.leftOut(left)}\n${end}` : output;
  const all = bounded.replace(/\n$/, '').split('\n');
  const shown = isWhole ? all : isOpen ? all.slice(-FIRST_LINES) : all.slice(0, FIRST_LINES);
  const cut = isWhole ? shown : shown.map((line) => cutLine(line));
  const isCut = cut.some((line, index) => line !== shown[index]);
  return { lines: cut.join('\n'), hidden: all.length - shown.length, isCut };
}

function cutLine(line: string): string {
  return line.length > COLUMNS ? `${line.slice(0, COLUMNS)} ⋯` : line;
}

/** Colours of terminals; all other control sequences are left out. */
function Ansi({ source }: { source: string }) {
  if (!source.includes('\u001b')) return <>{visible(source)}</>;
  const parts = Anser.ansiToJson(source, { use_classes: true, remove_empty: true });
  return (
    <>
      {parts.map(({ content, fg, decoration }, index) => (
        <span key={index} className={fg ?? undefined} data-decoration={decoration ?? undefined}>
          {visible(content)}
        </span>
      ))}
    </>
  );
}
