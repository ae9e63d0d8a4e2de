import { execFile } from 'node:child_process'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Compiles a published package to ES modules and their types in `dist`. Throws with what the
 * compiler says.
 */
export async function compilePackage(folder: string): Promise<void> {
  await rm(join(folder, 'dist'), { recursive: true, force: true })
  const root = createRequire(join(folder, '../../package.json'))
  const compiler = join(dirname(root.resolve('typescript/package.json')), 'bin/tsc')
  await promisify(execFile)(
    process.execPath,
    [compiler, '-p', join(folder, 'tsconfig.build.json')],
    { cwd: folder },
  ).catch((error: { stdout: string }) => {
    throw new Error(`${basename(folder)} could not be compiled\n${error.stdout}`)
  })
}

/** Writes a file whole or not at all: a check that runs at the same time reads it. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}`)
  await writeFile(temporary, text)
  await rename(temporary, path)
}
