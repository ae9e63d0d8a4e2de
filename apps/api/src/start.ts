import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// The entry of what is built: a start reads the code that the build has compiled (`compile-cache.ts`), which takes a sixth of its time off. Where
// the directory is not there, cannot be read or is of another version of Node, Node compiles as ever.
enableCompileCache({ directory: join(import.meta.dirname, 'compile-cache'), portable: true })
await import('./main.ts')
