import { ParleyError } from 'parley/client';
import { useEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { boundedBy } from './bounded';
import { isPicture, MOST_PIXELS } from './picture';
import type { Picture } from './picture';
import { pixelsIn } from './pixels';

/** A browser has six connections over HTTP/1.1, and streams take up to four of them. */
const bounded = boundedBy(2);
/** It is loaded when it is so near to what is in sight. */
const NEAR = '200px';

export type PictureState =
  | { readonly is: 'waiting' | 'gone' | 'damaged' | 'failed' }
  /** `url`: valid while the component is mounted. `large`: it is for its download only. */
  | { readonly is: 'shown' | 'large'; readonly url: string };

export interface ShownPicture {
  /** The element that has to come into sight. */
  readonly frame: RefObject<HTMLElement | null>;
  readonly state: PictureState;
  readonly retry: () => void;
  /** The browser can't draw it. */
  readonly onDamaged: () => void;
}

/** Loads a picture once it comes into sight; another one needs another `key`. */
export function usePicture(picture: Picture): ShownPicture {
  const frame = useRef<HTMLElement>(null);
  const [load] = useState(() => picture.load);
  const [isNear, setNear] = useState(false);
  const [state, setState] = useState<PictureState>({ is: 'waiting' });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const sight = new IntersectionObserver(
      (entries) => entries.some((it) => it.isIntersecting) && setNear(true),
      { rootMargin: NEAR },
    );
    sight.observe(frame.current!);
    return () => sight.disconnect();
  }, []);
  useEffect(() => {
    if (!isNear) return;
    const stop = new AbortController();
    let url: string | undefined;
    const show = async (): Promise<void> => {
      try {
        const blob = await bounded(stop.signal, () => load(stop.signal));
        stop.signal.throwIfAborted();
        if (!isPicture(blob.type, blob.size)) return setState({ is: 'damaged' });
        const pixels = pixelsIn(new Uint8Array(await blob.arrayBuffer()));
        stop.signal.throwIfAborted();
        if (pixels === undefined) return setState({ is: 'damaged' });
        url = URL.createObjectURL(blob);
        setState({ is: pixels > MOST_PIXELS ? 'large' : 'shown', url });
      } catch (error) {
        if (!stop.signal.aborted) setState({ is: isGone(error) ? 'gone' : 'failed' });
      }
    };
    void show();
    return () => {
      stop.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [load, isNear, tries]);
  return {
    frame,
    state,
    retry: () => {
      setState({ is: 'waiting' });
      setTries((count) => count + 1);
    },
    onDamaged: () => setState({ is: 'damaged' }),
  };
}

function isGone(error: unknown): boolean {
  return error instanceof ParleyError && error.status === 404;
}
