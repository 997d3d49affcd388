/**
 * Which port the `i`th request of a job goes to: in turns, where the server is several processes.
 */
export function portOf({ port, ports }, i) {
  return ports ? ports[i % ports.length] : port;
}
