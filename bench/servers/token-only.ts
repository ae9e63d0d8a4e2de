import { bearerIn } from '@atrium/api/context'
import { createLogger } from '@atrium/api/log'
import { createTokenVerifier } from '@atrium/api/token'
import { problemResponse } from '@atrium/api/transport/problems'
import { AppError } from '@atrium/core/errors'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

// P5, second half: the product's token verifier behind Hono, without database. The API itself has no endpoint that needs a token
// and no stored record, because the guards always read the caller's row.
const tokens = createTokenVerifier({
  issuers: [process.env.IDP_ISSUER ?? ''],
  audiences: [process.env.IDP_AUDIENCE ?? ''],
  clock: { now: () => new Date() },
  log: createLogger('warn'),
})
const app = new Hono()
app.onError((error) => problemResponse(error, 'bench'))
app.get('/health', (c) => c.json({ status: 'ok' }))
app.get('/whoami', async (c) => {
  const token = bearerIn(c.req.header('authorization'))
  if (!token) throw new AppError('unauthenticated')
  const { subject, email } = await tokens.verify(token)
  return c.json({ subject, email })
})
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
