import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import type { UserConfig } from 'vite'

/**
 * The Vite configuration of a portal.
 *
 * Chunks: every route is loaded when it is opened. Left alone, the bundler makes a chunk for each set of routes that
 * share a module, about a hundred requests for the first page. The groups below merge what most routes share, which
 * takes the first page to at most fifteen. `e2e/first-load.test.ts` counts requests and bytes.
 */
export const appBuild: UserConfig = {
  plugins: [react()],
  resolve: { alias: { tldts: fileURLToPath(import.meta.resolve('./src/public-suffix.ts')) } },
  build: {
    outDir: 'dist',
    target: 'esnext',
    // The content security policy allows data: URLs for images only, so assets stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'icons', test: /@tabler/, priority: 3 },
            // What surrounds every page of somebody signed in.
            { name: 'frame', test: /apps\/\w+\/src\/layout\/|ui\/src\/(shell|user-menu|brand|notification-stack|spotlight)/, priority: 2 },
            { name: 'vendor', test: /node_modules/, minShareCount: 14, priority: 1 },
            { name: 'shared', test: (id) => !id.includes('node_modules'), minShareCount: 4 },
          ],
        },
      },
    },
  },
}
