/** What Python programs are held to, and where what they start from is kept. */
export abstract class PythonSettings {
  /** Megabytes that the memory of one program may grow to. */
  abstract readonly pythonMemoryMb: number;
  /** The folder of the server's own data; no tool may write there. */
  abstract readonly dataDir: string;
}
