import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import { balanceRoutes } from './balance-routes.ts'
import { catalogRoutes } from './catalog-routes.ts'
import { customerRoutes } from './customer-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { StripeFault } from './faults.ts'
import { type Form, parseForm } from './form.ts'
import { invoiceRoutes } from './invoice-routes.ts'
import { callName, checkParameters } from './parameters.ts'
import { expandOf, type Handler } from './request.ts'
import { scheduleRoutes } from './schedule-routes.ts'
import { newId } from './store.ts'
import { subscriptionRoutes } from './subscription-routes.ts'
import { catchUp } from './time.ts'
import type { PaymentsWorld } from './world.ts'

const handlers: Readonly<Record<string, Handler>> = {
  ...customerRoutes,
  ...catalogRoutes,
  ...subscriptionRoutes,
  ...scheduleRoutes,
  ...invoiceRoutes,
  ...eventRoutes,
  ...balanceRoutes,
}

export interface ApiSettings {
  readonly secretKey: string
  /**
   * The one version that is spoken; a client that asks for another is rejected, so that a pin that
   * moved is seen.
   */
  readonly apiVersion: string
}

/**
 * Stripe's REST for what the client calls: `/v1`, form-encoded, with its checks of key, version,
 * parameters and idempotency.
 */
export function paymentsApi(world: PaymentsWorld, settings: ApiSettings): Hono {
  const app = new Hono()
  app.all('/v1/*', async (c) => {
    const requestId = newId('req', 14)
    try {
      const body = await c.req.text()
      const { status, text, replayed } = response(world, settings, c.req.raw, body)
      return new Response(text, {
        status,
        headers: headers(requestId, settings.apiVersion, replayed),
      })
    } catch (error) {
      if (!(error instanceof StripeFault)) console.error(error)
      const fault =
        error instanceof StripeFault
          ? error
          : new StripeFault(500, {
              type: 'api_error',
              message: 'The sandbox failed. Its log says why.',
            })
      return new Response(JSON.stringify({ error: fault.body }), {
        status: fault.status,
        headers: headers(requestId, settings.apiVersion, false),
      })
    }
  })
  return app
}

function headers(requestId: string, apiVersion: string, replayed: boolean): Record<string, string> {
  return {
    'content-type': 'application/json',
    'request-id': requestId,
    'stripe-version': apiVersion,
    ...(replayed && { 'idempotent-replayed': 'true' }),
  }
}

interface Answered {
  readonly status: number
  readonly text: string
  readonly replayed: boolean
}

function response(
  world: PaymentsWorld,
  settings: ApiSettings,
  request: Request,
  body: string,
): Answered {
  const url = new URL(request.url)
  checkKey(request, settings.secretKey)
  const version = request.headers.get('stripe-version')
  if (version !== settings.apiVersion)
    throw new StripeFault(400, {
      type: 'invalid_request_error',
      message: `Invalid Stripe API version: ${version}`,
    })
  const call = callName(request.method, url.pathname)
  const handler = call === undefined ? undefined : handlers[call]
  if (call === undefined || !handler) {
    throw new StripeFault(404, {
      type: 'invalid_request_error',
      message: `Unrecognized request URL (${request.method}: ${url.pathname}).`,
    })
  }
  const form = parseForm(body === '' ? url.search.slice(1) : body)
  const key = request.method === 'GET' ? null : request.headers.get('idempotency-key')
  const parameters = createHash('sha256').update(`${url.pathname}\n${body}`).digest('hex')
  const before = key === null ? undefined : world.store.replays.get(key)
  if (before) {
    if (before.call !== call || before.parameters !== parameters) {
      throw new StripeFault(400, {
        type: 'idempotency_error',
        code: 'idempotency_error',
        message:
          'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      })
    }
    return { status: before.status, text: before.body, replayed: true }
  }
  checkParameters(call, form)
  catchUp(world)
  const { status, text } = carryOut(world, handler, idsOf(url.pathname, call), form)
  if (key !== null) world.store.replays.set(key, { call, parameters, status, body: text })
  if (request.method !== 'GET') {
    world.store.trim()
    world.changed()
  }
  return { status, text, replayed: false }
}

/**
 * A declined card is stored like a success; other rejections are not, so that a corrected request
 * may reuse its key.
 */
function carryOut(
  world: PaymentsWorld,
  handler: Handler,
  ids: readonly string[],
  form: Form,
): { status: number; text: string } {
  try {
    return {
      status: 200,
      text: JSON.stringify(handler(world, { ids, form, expand: expandOf(form) })),
    }
  } catch (error) {
    if (!(error instanceof StripeFault) || error.status !== 402) throw error
    return { status: 402, text: JSON.stringify({ error: error.body }) }
  }
}

function checkKey(request: Request, secretKey: string): void {
  const [scheme = '', value = ''] = (request.headers.get('authorization') ?? '').split(' ')
  const provided =
    scheme.toLowerCase() === 'basic'
      ? Buffer.from(value, 'base64').toString().replace(/:$/, '')
      : value
  if (provided === secretKey) return
  const message = provided === '' ? 'You did not provide an API key.' : 'Invalid API Key provided.'
  throw new StripeFault(401, { type: 'invalid_request_error', message })
}

/** The path segments at the `:id`s of the call's name. */
function idsOf(path: string, call: string): string[] {
  const template = (call.split(' ')[1] ?? '').split('/')
  return path
    .split('/')
    .flatMap((part, index) => (template[index] === ':id' ? [decodeURIComponent(part)] : []))
}
