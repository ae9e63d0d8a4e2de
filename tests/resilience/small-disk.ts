import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chown, mkdir, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A file system of a few megabytes, in memory. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string
  /** Takes all the room that is left. */
  fill(): Promise<void>
  /** Gives it back. */
  empty(): Promise<void>
}

/**
 * Mounts one that belongs to the owner of `like`. Answers in words why where the machine does not
 * allow that, which takes root on Linux.
 */
export async function mountSmallDisk({
  megabytes,
  like,
}: {
  megabytes: number
  like: string
}): Promise<SmallDisk | string> {
  const path = join(tmpdir(), `atrium-small-disk-${randomUUID()}`)
  await mkdir(path)
  const { uid, gid } = await stat(like)
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path])
  } catch (error) {
    await rm(path, { recursive: true })
    return `no file system can be mounted here (${error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : error})`
  }
  await chown(path, uid, gid)
  const ballast = join(path, 'ballast')
  return {
    path,
    async fill() {
      await using file = await open(ballast, 'a')
      for (let block = 1024 * 1024; block >= 512; ) {
        try {
          await file.appendFile(Buffer.alloc(block))
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
          block /= 2
        }
      }
    },
    empty: () => rm(ballast, { force: true }),
    async [Symbol.asyncDispose]() {
      await run('umount', [path])
      await rm(path, { recursive: true })
    },
  }
}
