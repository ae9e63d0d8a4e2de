import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { generateTypes } from './generate.ts'

/** Builds the package as it is published: ES modules and their types in `dist`. */
const folder = join(import.meta.dirname, '..')
await generateTypes()
await rm(join(folder, 'dist'), { recursive: true, force: true })
const root = createRequire(join(folder, '../../package.json'))
const compiler = join(dirname(root.resolve('typescript/package.json')), 'bin/tsc')
const { stdout } = await promisify(execFile)(
  process.execPath,
  [compiler, '-p', join(folder, 'tsconfig.build.json')],
  { cwd: folder },
).catch((error: { stdout: string }) => {
  process.stderr.write(error.stdout)
  throw new Error('the client could not be compiled')
})
process.stdout.write(stdout)
