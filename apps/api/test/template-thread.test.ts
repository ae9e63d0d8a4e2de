import { setImmediate } from 'node:timers/promises'
import { emailTemplates } from '@atrium/core/branding/email-templates'
import { errorText } from '@atrium/core/platform/error-text'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleValues } from '../src/branding/samples.ts'
import { createTemplates } from '../src/branding/template-thread.ts'
import { createKeyedLimiter } from '../src/platform/keyed-limiter.ts'
import { createLogger } from '../src/platform/log.ts'
import type { Templates } from '../src/platform/templates.ts'

/**
 * Few tags and few steps, and still it keeps a processor busy for seconds: each comparison is work
 * that no step counts.
 */
const slow = `{% for a in booking.guests %}{% if ${'a == a and '.repeat(1_600)} true %}x{% endif %}{% endfor %}`
const quick = emailTemplates['booking.confirmed'].standard('en')
const key = 'booking.confirmed' as const
const tooSlow = 'This takes more time or memory than a message may.'

describe('a text that keeps a processor busy', () => {
  let templates: Templates
  beforeAll(() => {
    templates = createTemplates({
      log: createLogger('error'),
      keyedLimiter: createKeyedLimiter(),
      limitMs: 500,
    })
  })
  afterAll(() => templates.stop())
  const check = (tenantId: string, text: string) =>
    templates.check(tenantId, {
      key,
      template: { subject: 'x', html: `${text}{{ reason }}`.repeat(2), text },
      path: 'draft',
    })

  it('ends with its thread, and the next text gets another one', async () => {
    expect(await check('a', slow)).toEqual([
      { path: 'draft', message: errorText('templateTooExpensive') },
    ])
    expect(await templates.check('a', { key, template: quick, path: 'draft' })).toEqual([])
    const values = {
      ...sampleValues(key),
      product: { name: 'Atrium', accentColor: '#000000', textColor: '#ffffff' },
    }
    const rendered = await templates.render('a', {
      template: { subject: '{{ product.name }}', html: null, text: 'y' },
      values,
    })
    expect(rendered).toEqual({ subject: 'Atrium', html: null, text: 'y' })
    await expect(
      templates.render('a', {
        template: { subject: '{{ no.such }}', html: null, text: 'y' },
        values,
      }),
    ).rejects.toThrow(/undefined variable/)
  })

  it('delays a text of another tenant by one of its own alone', async () => {
    const order: string[] = []
    const all = [
      ...Array.from({ length: 4 }, () => ['noisy', slow] as const),
      ['other', 'Hello'] as const,
    ].map(([tenant, text]) => check(tenant, text).then(() => order.push(tenant)))
    await Promise.all(all)
    expect(order.indexOf('other')).toBeLessThanOrEqual(1)
  })

  it('is rejected at once where fifty of the tenant wait', async () => {
    const keyedLimiter = createKeyedLimiter()
    const own = createTemplates({ log: createLogger('error'), keyedLimiter })
    void keyedLimiter.take('templates of full', () => new Promise<void>(() => undefined))
    for (let n = 0; n < 50; n++) void keyedLimiter.take('templates of full', async () => undefined)
    await expect(own.check('full', { key, template: quick, path: 'draft' })).rejects.toMatchObject({
      code: 'rate_limited',
    })
  })
})

describe('the service', () => {
  let testApp: TestApp
  beforeAll(async () => {
    testApp = await startTestApp({ provisioned: false })
  }, 60_000)
  afterAll(() => testApp[Symbol.asyncDispose]())

  it('serves other requests while a preview and a saved text are processed', async () => {
    const token = await testApp.token('owner@acme.test')
    const draft = { subject: 'x', html: slow.repeat(3), text: slow }
    for (const [method, path, body] of [
      ['POST', '/tenants/acme/branding/preview', { template: key, draft }],
      ['PUT', '/tenants/acme/branding', { emailTemplates: { [key]: draft } }],
    ] as const) {
      let answered = 0
      let over = false
      const asked = testApp.request(method, path, { token, body }).finally(() => {
        over = true
      })
      while (!over) {
        if ((await testApp.request('GET', '/health')).status === 200) answered += 1
        await setImmediate()
      }
      expect(await asked).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', issues: [{ message: tooSlow }] },
      })
      // On the event loop, the check would let one or two through before it and all others after
      // it.
      expect(answered).toBeGreaterThan(20)
    }
  })
})
