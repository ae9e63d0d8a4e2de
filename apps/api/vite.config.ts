import { join } from 'node:path'
import { defineConfig } from 'vite'

/**
 * The service as few files: half of its start would otherwise go into finding and compiling some
 * two thousand modules. Only what is read from disk at run time stays a package: the pages of the
 * API reference, fonts and colours of PDF files, and libpq, which pg looks for and does without.
 */
export default defineConfig({
  logLevel: 'warn',
  build: {
    ssr: true,
    outDir: 'dist',
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    sourcemap: true,
    rollupOptions: {
      input: {
        main: join(import.meta.dirname, 'src/main.ts'),
        'template-worker': join(import.meta.dirname, 'src/branding/template-worker.ts'),
      },
    },
  },
  // Node's entry of this package; the other one has no default export.
  resolve: { alias: { 'jsvat-next': 'jsvat-next/lib/commonjs/index.js' } },
  ssr: { noExternal: true, external: ['fontkit', 'pdfkit', 'pg-native'] },
})
