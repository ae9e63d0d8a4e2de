import { writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

const blockLength = 16 * 1024
const longestWaitMs = 100
const errorLevel = 50

/**
 * Buffered standard output, because a write per line costs more than the request that it describes.
 * A line waits for a full block or 100 ms, at most; lines of level error or above are written
 * immediately, and the rest when the process ends. Only a killed process loses lines, those of its
 * last tenth of a second. Not pino's own buffered output: when the pipe has no reader any more, its
 * flush at exit retries forever and the process stays.
 */
export function standardOutput(write: (text: string) => void = writeAll): DestinationStream {
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const text = waiting
    waiting = ''
    if (text !== '') write(text)
  }
  process.on('exit', flush)
  const stream = {
    // Asks pino to leave each line's level in `lastLevel` before it writes.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      waiting += line
      if (stream.lastLevel >= errorLevel || waiting.length >= blockLength) flush()
      else timer ??= setTimeout(flush, longestWaitMs).unref()
    },
  }
  return stream
}

/**
 * A pipe whose reader is slow rejects for a moment; a log that cannot be written at all is no
 * reason to stop serving.
 */
function writeAll(text: string): void {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}
