import { join } from 'node:path'
import { builtFrom } from '@atrium/core/build-commit'
import type { UserConfig } from 'vite'

/**
 * The Vite configuration of an app's server, for an image or a package: `dist-server/server.js` and
 * a few chunks hold all of its code, so that it runs without any `node_modules`. The pages have a
 * build of their own in `dist`.
 *
 * @param appDir folder of the app, with `src/server.ts`
 */
export function serverBuild(appDir: string): UserConfig {
  return {
    root: appDir,
    logLevel: 'warn',
    // Files for browsers are in the build of the pages.
    publicDir: false,
    define: builtFrom(),
    build: {
      ssr: true,
      outDir: 'dist-server',
      emptyOutDir: true,
      target: 'node24',
      minify: false,
      sourcemap: true,
      rolldownOptions: { input: { server: join(appDir, 'src/server.ts') } },
    },
    // What pg looks for and does without.
    ssr: { noExternal: true, external: ['pg-native'] },
  }
}
