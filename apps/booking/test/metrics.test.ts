import { startMetrics } from '@atrium/bff/metrics'
import { expect, it } from 'vitest'
import { openPages } from './open-pages.ts'

it('requests are counted by the pattern of their route, without the token of a link', async () => {
  const metrics = await startMetrics({ host: '127.0.0.1', metricsPort: 0 })
  if (!metrics) throw new Error('there is a port')
  try {
    const pages = openPages({ metrics })
    const token = `secret${'0'.repeat(40)}`
    await pages.get('/health')
    await pages.get(`/manage/${token}`)
    await pages.get('/a/page/that/is/nowhere')
    const text = await (await fetch(`http://127.0.0.1:${metrics.port}/metrics`)).text()
    expect(text).toContain(
      'http_request_duration_seconds_count{method="GET",route="/health",status="200"} 1',
    )
    expect(text).toMatch(/_count\{method="GET",route="\/manage\/:token",status="\d+"\} 1/)
    expect(text).not.toContain(token)
    expect(text).not.toContain('nowhere')
  } finally {
    await metrics.close()
  }
})
