import { chmod, cp } from 'node:fs/promises'
import { join } from 'node:path'
import { compilePackage } from '@atrium/client/build/publish'
import { generateOperations } from './generate.ts'

/** Builds the command line as it is published. The check of types is that of the repository. */
const folder = join(import.meta.dirname, '..')
const dist = join(folder, 'dist')
await generateOperations()
await compilePackage(folder)
await cp(join(folder, 'src/generated'), join(dist, 'generated'), { recursive: true })
await chmod(join(dist, 'main.js'), 0o755)
