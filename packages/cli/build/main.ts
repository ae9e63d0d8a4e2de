import { execFile } from 'node:child_process'
import { chmod, cp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { generateOperations } from './generate.ts'

/** Builds the command line as it is published. The check of types is that of the repository. */
const folder = join(import.meta.dirname, '..')
const dist = join(folder, 'dist')
await generateOperations()
await rm(dist, { recursive: true, force: true })
const root = createRequire(join(folder, '../../package.json'))
const compiler = join(dirname(root.resolve('typescript/package.json')), 'bin/tsc')
await promisify(execFile)(process.execPath, [compiler, '-p', join(folder, 'tsconfig.build.json')])
await cp(join(folder, 'src/generated'), join(dist, 'generated'), { recursive: true })
await chmod(join(dist, 'main.js'), 0o755)
