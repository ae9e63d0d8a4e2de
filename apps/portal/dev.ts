import { runAppServer } from '@atrium/bff/server'
import { startVitePages } from '@atrium/bff/vite-pages'

// The server of `pnpm dev`: pages from the sources, replaced in the browser while they are edited.
await runAppServer({
  app: 'portal',
  env: process.env,
  devPages: await startVitePages(import.meta.dirname),
})
