/** Loaded into a server whose memory is measured: tells its parent, when asked, what is in use once the garbage is gone. */
process.on('message', () => {
  globalThis.gc();
  globalThis.gc();
  process.send(process.memoryUsage());
});
