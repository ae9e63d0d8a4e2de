import { serve } from '@hono/node-server'
import { Hono } from 'hono'

// A peer of P5: Hono answering a constant.
const app = new Hono()
app.get('/health', (c) =>
  c.json({ service: 'atrium-platform-api', status: 'ok', version: '0.0.0', uptimeSeconds: 1 }),
)
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
