/** What Python programs are held to. */
export abstract class PythonLimits {
  /** Megabytes that the memory of one program may grow to. */
  abstract readonly pythonMemoryMb: number;
}
