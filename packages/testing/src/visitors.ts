import { randomBytes } from 'node:crypto'
import type { TestApp, TestResponse } from './test-app.ts'

/** A new address: every visitor has their own allowance. */
export function newAddress(): string {
  const group = () => randomBytes(2).toString('hex')
  return `2001:db8:${group()}:${group()}::1`
}

export interface Visit {
  body?: unknown
  address?: string
  headers?: Record<string, string>
  token?: string | undefined
}

/**
 * A request through the booking app, which reports the visitor's address and is trusted. `path` is
 * below `/api/v1`.
 */
export function visit(
  testApp: TestApp,
  method: string,
  path: string,
  { body, address = newAddress(), headers = {}, token }: Visit = {},
): Promise<TestResponse> {
  return testApp.request(method, `/api/v1${path}`, {
    token,
    ...(body === undefined ? {} : { body }),
    headers: {
      'x-atrium-booking-app': testApp.env.BOOKING_APP_SECRET ?? '',
      'x-forwarded-for': address,
      ...headers,
    },
  })
}

/** What a visitor sends to book. */
export function wish(
  eventTypeId: string,
  start: Date | string,
  fields: Record<string, unknown> = {},
) {
  const name = randomBytes(6).toString('hex')
  return {
    eventTypeId,
    start: typeof start === 'string' ? start : start.toISOString(),
    attendee: {
      name: 'Vera Visitor',
      email: `${name}@example.org`,
      timeZone: 'Europe/Paris',
      locale: 'fr',
    },
    ...fields,
  }
}

/** The starts that are offered between two moments, ascending. */
export async function offered(
  testApp: TestApp,
  eventTypeId: string,
  from: Date,
  to: Date,
  visitor: Visit & { query?: string } = {},
): Promise<string[]> {
  const range = `from=${from.toISOString()}&to=${to.toISOString()}&timeZone=UTC${visitor.query ?? ''}`
  const { status, body } = await visit(
    testApp,
    'GET',
    `/event-types/${eventTypeId}/slots?${range}`,
    visitor,
  )
  if (status !== 200) throw new Error(`${status} ${body.code}`)
  return Object.values(body.slots as Record<string, { start: string }[]>).flatMap((slots) =>
    slots.map(({ start }) => start),
  )
}
