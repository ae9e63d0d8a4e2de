import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SandboxSystem } from './system.ts'

/** Raised when a record changes its shape: a file of another version is set aside, not read. */
const version = 3
const debounceMs = 200

/** Keeps the records of all systems in one JSON file. */
export interface SavedState {
  /** Writes soon; many calls close together are one write. */
  changed(): void
  /** Writes a last time; later changes are not written any more. */
  close(): Promise<void>
}

/** Does nothing: a sandbox whose records live as long as its process. */
export const unsaved: SavedState = { changed() {}, close: () => Promise.resolve() }

/**
 * Loads the file at `path` into the systems when there is one, and then keeps it up to date. A file
 * that cannot be read, or that has another version, is renamed to `<path>.unreadable` and the
 * systems keep their seed.
 */
export function openSavedState(path: string, systems: readonly SandboxSystem[]): SavedState {
  load(path, systems)
  mkdirSync(dirname(path), { recursive: true })
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let closed = false
  const content = () =>
    JSON.stringify({
      version,
      systems: Object.fromEntries(systems.map((system) => [system.name, system.save()])),
    })

  // One after the other: two writers of `.new` would mix their bytes.
  function write(): Promise<void> {
    timer = undefined
    writing = writing
      .catch(() => undefined)
      .then(async () => {
        await writeFile(`${path}.new`, content(), { mode: 0o600 })
        await rename(`${path}.new`, path)
      })
    return writing
  }
  return {
    changed() {
      if (closed) return
      timer ??= setTimeout(() => {
        write().catch((error: unknown) =>
          console.error('The sandbox could not save its state:', error),
        )
      }, debounceMs)
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await write()
    },
  }
}

function load(path: string, systems: readonly SandboxSystem[]): void {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw error
  }
  const saved = parse(text)
  if (!saved) {
    renameSync(path, `${path}.unreadable`)
    console.warn(
      `The saved sandbox state ${path} cannot be used and was set aside; the sandbox starts from its seed.`,
    )
    return
  }
  for (const system of systems) {
    const records = saved[system.name]
    if (records !== undefined) system.load(records)
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const saved: unknown = JSON.parse(text)
    if (
      typeof saved !== 'object' ||
      saved === null ||
      !('version' in saved) ||
      saved.version !== version
    )
      return undefined
    if (!('systems' in saved) || typeof saved.systems !== 'object' || saved.systems === null)
      return undefined
    return { ...saved.systems }
  } catch {
    return undefined
  }
}
