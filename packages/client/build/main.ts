import { join } from 'node:path'
import { generateTypes } from './generate.ts'
import { compilePackage } from './publish.ts'

/** Builds the package as it is published: ES modules and their types in `dist`. */
await generateTypes()
await compilePackage(join(import.meta.dirname, '..'))
