import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UsageError } from './failure.ts'
import type { Terminal } from './terminal.ts'

const progressEveryMs = 1_000

/**
 * Writes a file as it arrives: to the output, or into a file that appears only when it is complete.
 * With `progress`, notes say every second how much has arrived. Throws UsageError for a file that
 * cannot be written.
 */
export async function saveFile(
  content: ReadableStream<Uint8Array>,
  { path, progress }: { path: unknown; progress: boolean },
  terminal: Terminal,
): Promise<void> {
  let bytes = 0
  const counted = new Transform({
    transform(piece: Uint8Array, _, done) {
      bytes += piece.length
      done(null, piece)
    },
  })
  const tell = () => terminal.note(`${(bytes / 1_000).toFixed(0)} kB`)
  const ticking = progress ? setInterval(tell, progressEveryMs) : undefined
  const source = Readable.fromWeb(content as never)
  try {
    if (typeof path === 'string') await writeWhole([source, counted], path)
    else await pipeline(source, counted, terminal.out, { end: false })
    if (progress) tell()
  } finally {
    clearInterval(ticking)
  }
}

async function writeWhole([source, counted]: [Readable, Transform], path: string): Promise<void> {
  const temporary = `${path}.${process.pid}.part`
  try {
    await pipeline(source, counted, createWriteStream(temporary, { flags: 'wx' }))
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    if (error instanceof Error && 'path' in error)
      throw new UsageError(`${path} cannot be written: ${error.message}`)
    throw error
  }
}
