import { commit, version } from '@atrium/core/platform/version'
import type { Hono } from 'hono'
import type { Clock } from '../platform/clock.ts'
import type { AppEnv } from './request-info.ts'

/** `GET /health`: the process responds. It never touches the database. */
export function registerLiveness(app: Hono<AppEnv>, clock: Clock): void {
  const startedAt = clock.now().getTime()
  app.get('/health', (c) => {
    c.set('route', '/health')
    const uptimeSeconds = Math.floor((clock.now().getTime() - startedAt) / 1000)
    return c.json({ service: 'atrium-platform-api', status: 'ok', version, commit, uptimeSeconds })
  })
}
