import { demoClients } from '@atrium/core/demo/demo'
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { z } from 'zod'
import { parseZone, ZoneFault } from '../dns/zone-parser.ts'
import { plainName, ZoneRecordInput } from '../dns/zones.ts'
import { FaultInput } from '../faults.ts'
import { deviceKinds } from '../identity/records.ts'
import { PaymentAction } from '../payments/actions.ts'
import { StripeFault } from '../payments/faults.ts'
import { webhookRoutes } from '../webhooks/app.ts'
import { readJson } from './bodies.ts'
import { calendarRoutes } from './calendars.ts'
import type { ControlParts } from './parts.ts'
import { peoplePages } from './people.ts'

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text))
const TokenInput = z.strictObject({
  email: z.string(),
  app: z.enum(['portal', 'operator']),
  signedInAt: instant.optional(),
})
const SignInsInput = z.strictObject({ email: z.string(), signedInAt: instant })
const ClockInput = z.strictObject({ now: z.iso.datetime({ offset: true }) })
const WebhooksInput = z.strictObject({
  hold: z.boolean().optional(),
  deliver: z.array(z.string()).max(1_000).optional(),
})
const RotateInput = z.strictObject({ drop: z.boolean().default(false) })
const ZoneInput = z.union([
  z.strictObject({ records: z.array(ZoneRecordInput) }),
  z.strictObject({ zone: z.string() }),
])
const DeviceInput = z.strictObject({
  email: z.string(),
  kind: z.enum(deviceKinds),
  name: z.string().min(1).default('Device'),
  confirmed: z.boolean().default(true),
})

/**
 * The control API of the sandbox, and its page for people at `/`. Errors are `{ error, issues? }`.
 */
export function controlApp(parts: ControlParts): Hono {
  const { identity, payments, faults } = parts
  const app = new Hono()

  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse()
    if (error instanceof StripeFault) return c.json({ error: error.message }, 400)
    console.error(error)
    return c.json({ error: 'The sandbox failed.' }, 500)
  })
  app.notFound((c) => c.json({ error: 'There is nothing here.' }, 404))

  app.post('/tokens', async (c) => {
    const { email, app: name, signedInAt } = await readJson(c.req.raw, TokenInput)
    const issued = await identity.issueToken(email, demoClients[name].slug, signedInAt)
    return 'accessToken' in issued
      ? c.json(issued)
      : c.json({ error: issued.reason }, issued.status)
  })

  app.get('/faults', (c) => c.json({ faults: faults.list() }))
  app.post('/faults', async (c) => c.json(faults.add(await readJson(c.req.raw, FaultInput)), 201))
  app.delete('/faults', (c) => {
    faults.clear()
    return c.body(null, 204)
  })
  app.delete('/faults/:id', (c) =>
    faults.remove(c.req.param('id'))
      ? c.body(null, 204)
      : c.json({ error: 'There is no such fault.' }, 404),
  )

  app.get('/state', (c) => {
    const systems = parts.systems.map(
      ({ system, calls }) =>
        [system.name, { records: system.state(), calls: calls.list() }] as const,
    )
    return c.json({ ...Object.fromEntries(systems), faults: faults.list() })
  })
  app.post('/reset', (c) => {
    parts.reset()
    return c.json({ reset: true })
  })

  app.post('/identity/rotate-keys', async (c) => {
    const { drop } = await readJson(c.req.raw, RotateInput)
    return c.json({ keys: identity.rotateKeys({ drop }) })
  })
  app.post('/identity/sign-ins', async (c) => {
    const { email, signedInAt } = await readJson(c.req.raw, SignInsInput)
    const user = identity.findUser(email)
    if (!user) return c.json({ error: `There is no user with the address ${email}.` }, 404)
    return c.json({ moved: identity.moveSignIns(user, signedInAt) })
  })
  app.post('/identity/devices', async (c) => {
    const { email, ...device } = await readJson(c.req.raw, DeviceInput)
    const user = identity.findUser(email)
    if (!user) return c.json({ error: `There is no user with the address ${email}.` }, 404)
    return c.json(identity.addDevice(user, device), 201)
  })

  app.post('/clock', async (c) => {
    const { now } = await readJson(c.req.raw, ClockInput)
    payments.setNow(new Date(now))
    return c.json({ now: payments.now().toISOString() })
  })
  app.post('/payments/actions', async (c) =>
    c.json(payments.act(await readJson(c.req.raw, PaymentAction))),
  )
  app.post('/payments/webhooks', async (c) => {
    const { hold, deliver } = await readJson(c.req.raw, WebhooksInput)
    if (hold === true) payments.webhooks.hold()
    if (hold === false) payments.webhooks.release()
    const statuses = deliver === undefined ? [] : await payments.webhooks.deliver(deliver)
    return c.json({ statuses, pending: payments.webhooks.pending() })
  })

  app.put('/dns/:domain', async (c) => {
    const domain = plainName(c.req.param('domain'))
    const input = await readJson(c.req.raw, ZoneInput)
    try {
      parts.dns.put(domain, 'zone' in input ? parseZone(input.zone, domain) : input.records)
    } catch (error) {
      if (!(error instanceof ZoneFault)) throw error
      return c.json({ error: error.message }, 400)
    }
    parts.changed()
    return c.json({ domain, records: parts.dns.list()[domain] })
  })
  app.delete('/dns/:domain', (c) => {
    if (!parts.dns.remove(plainName(c.req.param('domain'))))
      return c.json({ error: 'There is no such zone.' }, 404)
    parts.changed()
    return c.body(null, 204)
  })

  app.route('/', calendarRoutes(parts.calendars))
  app.route('/', webhookRoutes(parts.webhooks))
  app.route('/', peoplePages(parts))
  return app
}
