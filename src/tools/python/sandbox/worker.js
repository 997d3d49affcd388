// Entry point of the worker thread of one Python program. Plain JavaScript: a worker loads it
// without a build step.
import { MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { closeRealm, createRealm } from './realm.js';
import { Output } from './output.js';

const { control, port, sources, wasm, stdlib, lock, limits } = workerData;
// A copy, so that no memory shared with other threads gets into the realm.
const snapshot = workerData.snapshot && Uint8Array.from(new Uint8Array(workerData.snapshot));
const signals = new Int32Array(control);
const output = new Output(control);
const post = MessagePort.prototype.postMessage.bind(port);

/** Blocks until the server has sent a message. */
function receive() {
  for (;;) {
    const received = receiveMessageOnPort(port);
    if (received) return received.message;
    Atomics.wait(signals, 0, 0);
    Atomics.store(signals, 0, 0);
  }
}

/** Blocks this thread for good; the server ends it. */
function halt(message) {
  post(message);
  for (;;) Atomics.wait(signals, 0, Atomics.load(signals, 0));
}

const host = {
  write: (bytes) => output.write(bytes),
  exchange: (text) => {
    post({ kind: 'request', text });
    return receive();
  },
  sleep: (ms) => output.pause(ms),
  refuse: (name) => halt({ kind: 'refused', name }),
  exit: (code) => halt({ kind: 'exited', code }),
};

const realm = createRealm(sources);
closeRealm(globalThis);
try {
  const interpreter = await realm.load(host, { wasm, stdlib, lock, snapshot, limits });
  if (snapshot) {
    post({ kind: 'ready' });
    interpreter.run(receive());
    post({ kind: 'returned' });
  } else {
    const bytes = interpreter.takeSnapshot();
    post({ kind: 'snapshot', bytes });
  }
} catch (error) {
  post({ kind: 'crashed', why: String(error?.message ?? error) });
}
port.close();
