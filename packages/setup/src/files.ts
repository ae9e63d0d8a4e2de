import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The files of an installation, by their path in its folder. */
export interface Files {
  read(path: string): Promise<string | undefined>
  /** Replaces the file as a whole. True when it differed. */
  write(path: string, content: string): Promise<boolean>
  exists(path: string): Promise<boolean>
}

/**
 * Files on disk. Those in `secrets` can be read by everyone, because each container reads its own
 * under its own account; the folder can be entered by its owner alone.
 */
export function diskFiles(folder: string): Files {
  const read = async (path: string) => {
    try {
      return await readFile(join(folder, path), 'utf8')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
      throw error
    }
  }
  return {
    read,
    exists: async (path) => (await read(path)) !== undefined,
    async write(path, content) {
      const target = join(folder, path)
      await mkdir(dirname(target), { recursive: true })
      const secret = path.startsWith('secrets/')
      if (secret) await chmod(dirname(target), 0o700)
      if ((await read(path)) === content) return false
      // A reader sees the old or the new content, and a full disk loses nothing.
      const draft = `${target}.new`
      await writeFile(draft, content, { mode: 0o600 })
      if (secret) await chmod(draft, 0o444)
      await rename(draft, target)
      return true
    },
  }
}

/** Reads from the files, and keeps what is written in memory. `written` lists the paths. */
export function plannedFiles(files: Files): Files & { written: string[] } {
  const planned = new Map<string, string>()
  const read = async (path: string) => planned.get(path) ?? (await files.read(path))
  const written: string[] = []
  return {
    written,
    read,
    exists: async (path) => (await read(path)) !== undefined,
    async write(path, content) {
      if ((await read(path)) === content) return false
      planned.set(path, content)
      if (!written.includes(path)) written.push(path)
      return true
    },
  }
}
