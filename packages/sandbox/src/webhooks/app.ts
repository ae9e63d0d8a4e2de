import { setTimeout as delay } from 'node:timers/promises'
import { Hono } from 'hono'
import { z } from 'zod'
import { readJson } from '../control/bodies.ts'
import { receiverPage } from './page.ts'
import { longestBody, receiverModes, type WebhookReceiver } from './receiver.ts'

const mode = z.enum(receiverModes)
const SettingsInput = z.strictObject({ mode: mode.optional(), secret: z.string().optional() })
/** A sender waits less: the API for 15 seconds. */
const longestHangMs = 60_000
const noSecret = 'This is no signing secret: it begins with whsec_.'

/** The receiver of webhooks: its address, its page at `/webhooks`, and the same as JSON. */
export function webhookRoutes(receiver: WebhookReceiver): Hono {
  const app = new Hono()
  app.post('/webhooks/receive', async (c) => {
    const { status } = receiver.receive(c.req.header(), await beginningOf(c.req.raw))
    if (status === 204) return c.body(null, 204)
    if (status !== null) return c.text('This response was chosen on the page.', status)
    const { signal } = c.req.raw
    await delay(longestHangMs, undefined, { signal, ref: false }).catch(() => {})
    return c.body(null, 204)
  })
  app.get('/webhooks/deliveries', (c) =>
    c.json({ mode: receiver.mode(), deliveries: receiver.list() }),
  )
  app.delete('/webhooks/deliveries', (c) => {
    receiver.clear()
    return c.body(null, 204)
  })
  app.put('/webhooks/settings', async (c) => {
    const input = await readJson(c.req.raw, SettingsInput)
    if (input.secret !== undefined && !receiver.addSecret(input.secret))
      return c.json({ error: noSecret }, 400)
    if (input.mode !== undefined) receiver.setMode(input.mode)
    return c.json({ mode: receiver.mode(), secrets: receiver.secretCount() })
  })

  const show = (address: string, problem?: string) => {
    const { body, headers } = receiverPage(receiver, address, problem)
    return new Response(body, { status: problem === undefined ? 200 : 400, headers })
  }
  // By number: `WEBHOOK_ADDRESSES` of a local workplace names it, and the receiver listens there.
  const addressOf = (url: string) =>
    new URL('/webhooks/receive', url).href.replace('//localhost:', '//127.0.0.1:')
  app.get('/webhooks', (c) => show(addressOf(c.req.url)))
  app.post('/webhooks/form', async (c) => {
    // Another site in the same browser must not change what the receiver does.
    const site = c.req.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin') return c.text('Forbidden', 403)
    const form = await c.req.formData()
    const text = (name: string) => String(form.get(name) ?? '').trim()
    if (text('clear') !== '') receiver.clear()
    if (text('secret') !== '' && !receiver.addSecret(text('secret')))
      return show(addressOf(c.req.url), noSecret)
    const chosen = mode.safeParse(text('mode'))
    if (chosen.success) receiver.setMode(chosen.data)
    return c.redirect('/webhooks', 303)
  })
  return app
}

/** Reads the whole body, so that the sender gets a response, and keeps no more than is shown. */
async function beginningOf(request: Request): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of request.body ?? [])
    if (text.length < longestBody) text += decoder.decode(chunk, { stream: true })
  return text.slice(0, longestBody)
}
