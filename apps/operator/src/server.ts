import { fileURLToPath } from 'node:url'
import { runAppServer } from '@atrium/bff/server'

await runAppServer({
  app: 'operator',
  env: process.env,
  distDir: fileURLToPath(new URL('../dist', import.meta.url)),
})
