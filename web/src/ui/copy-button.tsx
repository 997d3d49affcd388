import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { common } from '../strings/common';
import { IconButton } from './button';

export function CopyButton({ text, label = common.copy }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setDone(true);
  };
  return (
    <IconButton label={isDone ? common.copied : label} onClick={() => void copy()}>
      {isDone ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
    </IconButton>
  );
}

/** Pages that come over plain HTTP from another machine have no clipboard to write to. */
export async function copyText(text: string): Promise<void> {
  if ((navigator as { clipboard?: Clipboard }).clipboard)
    return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
