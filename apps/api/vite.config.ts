import { join } from 'node:path'
import { defineConfig } from 'vite'
import { compileCache } from './compile-cache.ts'

/**
 * The service as few files: half of its start would otherwise go into finding and compiling some two thousand modules. Only what is read
 * from disk at run time stays a package: the pages of the API reference, and libpq, which pg looks for and does without.
 */
export default defineConfig({
  logLevel: 'warn',
  plugins: [compileCache()],
  build: {
    ...{ ssr: true, outDir: 'dist', emptyOutDir: true, target: 'node24', minify: false, sourcemap: true },
    rollupOptions: { input: { main: join(import.meta.dirname, 'src/start.ts') } },
  },
  // The face that Node sees of it; the other one has no default export.
  resolve: { alias: { 'jsvat-next': 'jsvat-next/lib/commonjs/index.js' } },
  ssr: { noExternal: true, external: ['swagger-ui-dist', 'pg-native'] },
})
