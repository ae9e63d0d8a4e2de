/** What commands need of the process; tests of parts hand in their own. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>
  /** Columns; wide where the output is no terminal. */
  width: number
  interactive: boolean
  /** Where questions are asked; those of the process where absent. */
  prompt?: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream }
  /** Takes files as they arrive. */
  out: NodeJS.WritableStream
  print(text: string): void
  /** Notes and failures, apart from the output. */
  note(text: string): void
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  return {
    env: process.env,
    width: process.stdout.columns || 160,
    interactive: Boolean(process.stdin.isTTY && process.stdout.isTTY),
    out: process.stdout,
    print: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
  }
}
