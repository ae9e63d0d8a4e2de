import { join } from 'node:path'
import { builtFrom } from '@atrium/core/build-commit'
import { defineConfig } from 'vite'
import { copyExternalPackages } from './external-packages.ts'

/**
 * The service as few files: half of its start would otherwise go into finding and compiling some
 * two thousand modules. Only what is read from disk at run time stays a package: the pages of the
 * API reference, fonts and colours of PDF files, and libpq, which pg looks for and does without.
 * These packages are copied beside the build, which so needs no other `node_modules`.
 */
export default defineConfig({
  logLevel: 'warn',
  define: builtFrom(),
  plugins: [
    copyExternalPackages(import.meta.dirname, [
      'fontkit',
      'pdfkit',
      '@expo-google-fonts/noto-sans',
    ]),
  ],
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
        admin: join(import.meta.dirname, 'src/admin.ts'),
        migrate: join(import.meta.dirname, 'src/migrate.ts'),
        'identity-setup': join(import.meta.dirname, 'src/identity-setup.ts'),
        backup: join(import.meta.dirname, '../../packages/db/src/server/backup-command.ts'),
        // Sent to browsers in the pages of the API reference.
        'reference-page': join(import.meta.dirname, 'src/http/reference/client/page.ts'),
        'template-worker': join(import.meta.dirname, 'src/branding/template-worker.ts'),
      },
      // All in one folder: what the programs share finds the worker beside itself.
      output: { chunkFileNames: '[name]-[hash].js' },
    },
  },
  // Node's entry of this package; the other one has no default export.
  resolve: { alias: { 'jsvat-next': 'jsvat-next/lib/commonjs/index.js' } },
  ssr: { noExternal: true, external: ['fontkit', 'pdfkit', 'pg-native'] },
})
