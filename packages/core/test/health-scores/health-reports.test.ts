import { describe, expect, it } from 'vitest'
import { healthCsv } from '../../src/health-scores/health-reports.ts'

describe('the health report as CSV', () => {
  const report = { asOf: '2026-03-01T00:00:00Z', comparedWith: '2026-01-30' }
  const head = 'asOf,band,tenants,comparedWith,tenantsBefore,change,currency,mrrMinor\r\n'
  const row = { band: 'healthy', tenants: 7, tenantsBefore: 5, change: 2 } as const

  it('has a line for each band and currency', () => {
    const mrr = [
      { currency: 'EUR', mrrMinor: 120_000 },
      { currency: 'USD', mrrMinor: 900 },
    ]
    expect(healthCsv({ ...report, rows: [{ ...row, mrr }] })).toBe(
      `${head}2026-03-01T00:00:00Z,healthy,7,2026-01-30,5,2,EUR,120000\r\n` +
        '2026-03-01T00:00:00Z,healthy,7,2026-01-30,5,2,USD,900\r\n',
    )
  })

  it('has one line for a band without revenue, and leaves what is unknown empty', () => {
    const unknown = { ...row, tenantsBefore: null, change: null, mrr: [] }
    expect(healthCsv({ ...report, rows: [unknown] })).toBe(
      `${head}2026-03-01T00:00:00Z,healthy,7,2026-01-30,,,,\r\n`,
    )
  })

  it('has its head alone without rows', () => {
    expect(healthCsv({ ...report, rows: [] })).toBe(head)
  })
})
