import { startApi } from '@atrium/testing/api-process'
import { startTestApp } from '@atrium/testing/test-app'
import { expect, it } from 'vitest'

const aheadMs = 400 * 86_400_000
/** Loaded before the service: the clock of its machine is wrong by this much. */
const shifted = (ms: number) =>
  `data:text/javascript,${encodeURIComponent(`
  const Real = Date
  globalThis.Date = class extends Real {
    constructor(...given) { given.length === 0 ? super(Real.now() + ${ms}) : super(...given) }
    static now() { return Real.now() + ${ms} }
  }`)}`

it.each([
  ['400 days ahead', aheadMs, 'ahead of'],
  ['an hour behind', -3_600_000, 'behind'],
])(
  'a process whose clock is %s is not ready, and says so',
  async (_what, ms, words) => {
    await using testApp = await startTestApp({ provisioned: false })
    await using api = await startApi(testApp, {
      METRICS_PORT: '0',
      NODE_OPTIONS: `--import=${shifted(ms)}`,
    })
    const response = await fetch(`${api.url}/health/ready`)
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ ready: false })
    const told = () => api.log.find((line) => line.includes('service is not ready')) ?? '{}'
    await expect
      .poll(() => JSON.parse(told()), { timeout: 10_000 })
      .toMatchObject({ checks: { database: 'ok', clock: expect.stringContaining(words) } })
  },
  60_000,
)

it('a clock that is right to within 30 s is taken', async () => {
  await using testApp = await startTestApp({ started: true })
  expect(await testApp.app.readiness()).toMatchObject({ ready: true, checks: { clock: 'ok' } })
}, 60_000)
