import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { compileCache } from './compile-cache.ts'

/** What prom-client has to push figures to a gateway, which nobody does here: it loads TLS and compression into every start. */
const withoutPushgateway: Plugin = {
  name: 'without-pushgateway',
  load: (id) => (id.endsWith('/prom-client/lib/pushgateway.js') ? 'module.exports = undefined' : undefined),
}

/**
 * The service as few files: half of its start would otherwise go into finding and compiling some two thousand modules. Only what is read
 * from disk at run time stays a package: the pages of the API reference, and libpq, which pg looks for and does without.
 */
export default defineConfig({
  logLevel: 'warn',
  plugins: [withoutPushgateway, compileCache()],
  build: {
    ...{ ssr: true, outDir: 'dist', emptyOutDir: true, target: 'node24', minify: false, sourcemap: true },
    rollupOptions: {
      input: { main: join(import.meta.dirname, 'src/start.ts') },
      output: {
        // Node keeps the text of a module as long as it runs, and takes two bytes for each character of it from the first that is not ASCII.
        comments: { legal: true, annotation: false, jsdoc: false },
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true, legalComments: 'inline' } },
      },
    },
  },
  resolve: {
    alias: {
      // The face that Node sees of it; the other one has no default export.
      'jsvat-next': 'jsvat-next/lib/commonjs/index.js',
      // One for whoever imports it and whoever requires it: else there are two, and what `src/job-engine.ts` sets is set in the wrong one.
      luxon: join(import.meta.dirname, 'node_modules/luxon/build/node/luxon.js'),
    },
  },
  ssr: { noExternal: true, external: ['swagger-ui-dist', 'pg-native'] },
})
