const END = '.end';

/** The key of the record that ends a child agent. The agent's path is the key of its fork. */
export function agentEndKey(path: string): string {
  return path + END;
}

/** The path of the agent that a record of this key ends. */
export function agentPath(endKey: string): string {
  return endKey.slice(0, -END.length);
}
