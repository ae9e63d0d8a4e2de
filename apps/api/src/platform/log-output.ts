import { writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

const blockLength = 16 * 1024
const longestWaitMs = 100
const errorLevel = 50

/**
 * Standard output in blocks, because a write per line costs more than the request that the line
 * tells of. A line waits for a full block or 100 ms, one of level error or above for nothing, and
 * the end of the process writes what is left. Only a process that is killed outright loses lines,
 * those of its last tenth of a second. Not pino's own buffered output: when nobody reads the pipe
 * any more, its flush at exit tries for ever, and the process stays.
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
