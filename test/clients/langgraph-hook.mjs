// Not TypeScript: the types of React declare globals that other tests have from elsewhere.
import { STREAM_CONTROLLER, useStream } from '@langchain/react';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

/** Renders a page with the hook once, and gives what it shows snapshots of. */
export function renderHook(options) {
  let controller;
  const Page = () => {
    controller = useStream(options)[STREAM_CONTROLLER];
    return null;
  };
  renderToStaticMarkup(createElement(Page));
  return controller;
}
