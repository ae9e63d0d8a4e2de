import { describe, expect, it } from 'vitest'
import { createLiveness } from '../src/liveness.ts'
import { createMetrics } from '../src/metrics.ts'

function setUp() {
  let now = Date.parse('2026-11-21T10:00:00Z')
  const metrics = createMetrics()
  const liveness = createLiveness({ clock: { now: () => new Date(now) }, metrics })
  const ask = (path: string, init: RequestInit = {}) => liveness(new Request(`http://api.test${path}`, init), undefined)
  return { ask, metrics, wait: (seconds: number) => (now += seconds * 1000) }
}

describe('liveness', () => {
  it('tells name, version and whole seconds since the start', async () => {
    const { ask, wait } = setUp()
    wait(61.9)
    const response = ask('/health')
    expect(response?.status).toBe(200)
    expect(await response?.json()).toMatchObject({ service: 'atrium-platform-api', status: 'ok', uptimeSeconds: 61 })
  })

  it('keeps a usable request id and makes one otherwise', () => {
    const { ask } = setUp()
    expect(ask('/health', { headers: { 'x-request-id': 'probe-000001' } })?.headers.get('x-request-id')).toBe('probe-000001')
    expect(ask('/health', { headers: { 'x-request-id': 'a b' } })?.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('answers HEAD without a body and ignores a query', async () => {
    const { ask } = setUp()
    expect(await ask('/health', { method: 'HEAD' })?.text()).toBe('')
    expect(ask('/health?probe=1')?.status).toBe(200)
  })

  it.each([['/health/ready'], ['/healthy'], ['/'], ['/tenants/health'], ['//health']])('leaves %s to the app', (path) => {
    expect(setUp().ask(path)).toBeUndefined()
  })

  it('leaves other methods to the app', () => {
    expect(setUp().ask('/health', { method: 'POST' })).toBeUndefined()
  })

  it('is counted like any other request', async () => {
    const { ask, metrics } = setUp()
    ask('/health')
    ask('/health')
    expect(await metrics.registry.metrics()).toContain('http_request_duration_seconds_count{method="GET",route="/health",status="200"} 2')
  })
})
