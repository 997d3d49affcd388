import { Download, ImageOff, RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { bytes } from '../strings/amounts';
import { common } from '../strings/common';
import { picturesText as text } from '../strings/files';
import { visible } from '../text/visible';
import { Dialog } from '../ui/dialog';
import type { Picture } from './picture';
import { usePicture } from './use-picture';
import type { ShownPicture } from './use-picture';
import css from './pictures.module.css';

interface ThumbnailProps {
  readonly picture: Picture;
  /** Stands below it, beside its name. */
  readonly children?: ReactNode;
}

/** A picture in a box of one size, which opens large; another picture needs another `key`. */
export function Thumbnail({ picture, children }: ThumbnailProps) {
  const shown = usePicture(picture);
  const [name, size] = [visible(picture.name), bytes(picture.size_bytes)];
  return (
    <figure ref={shown.frame} className={css['thumbnail']} data-testid="thumbnail">
      <Box shown={shown} picture={picture} />
      <figcaption>
        <span title={name}>{name}</span>
        <small>{size}</small>
        {children}
      </figcaption>
    </figure>
  );
}

function Box({ shown, picture }: { shown: ShownPicture; picture: Picture }) {
  const { state } = shown;
  switch (state.is) {
    case 'waiting':
      return <p>{common.loading}</p>;
    case 'gone':
    case 'damaged':
      return (
        <p>
          <ImageOff size={16} aria-hidden />
          {text[state.is]}
        </p>
      );
    case 'failed':
      return (
        <button type="button" onClick={shown.retry}>
          <RotateCw size={16} aria-hidden />
          {text.failed}
        </button>
      );
    case 'large':
      return (
        <p>
          {text.large}
          <SaveLink url={state.url} picture={picture} />
        </p>
      );
    case 'shown':
      return <Opening url={state.url} picture={picture} onDamaged={shown.onDamaged} />;
  }
}

interface OpeningProps {
  readonly url: string;
  readonly picture: Picture;
  readonly onDamaged: () => void;
}

function Opening({ url, picture, onDamaged }: OpeningProps) {
  const [isOpen, setOpen] = useState(false);
  const [name, size] = [visible(picture.name), bytes(picture.size_bytes)];
  const image = <img src={url} alt={`${name}, ${size}`} decoding="async" onError={onDamaged} />;
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {image}
      </button>
      <Dialog isOpen={isOpen} isWide onClose={() => setOpen(false)} title={name}>
        <div className={css['large']}>{image}</div>
        <SaveLink url={url} picture={picture} />
      </Dialog>
    </>
  );
}

function SaveLink({ url, picture: { name, size_bytes } }: { url: string; picture: Picture }) {
  return (
    <a className={css['download']} href={url} download={name}>
      <Download size={14} aria-hidden />
      {text.download(bytes(size_bytes))}
    </a>
  );
}
