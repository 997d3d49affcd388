/** The limits of Python programs, and the folder of their snapshot. */
export abstract class PythonSettings {
  /** Memory limit of one program, in megabytes. */
  abstract readonly pythonMemoryMb: number;
  /** Memory limit of all programs together, in megabytes. */
  abstract readonly pythonTotalMb: number;
  /** The folder of the server's own data; no tool may write there. */
  abstract readonly dataDir: string;
}
