import { dnsResolver } from '@atrium/integrations/dns/resolver'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hostRecords,
  missingRecords,
  recordLines,
  tenantRecords,
  waitForRecords,
} from '../src/dns-records.ts'
import { namesOf } from '../src/names.ts'

const names = namesOf({ domain: 'records.test' })
let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 'empty' })
})
afterAll(() => sandbox.close())

describe('the records of an installation', () => {
  it('lead every host name to each address that the server has', () => {
    const records = hostRecords(names, { ipv4: '192.0.2.10', ipv6: '2001:db8::10' })
    expect(records).toHaveLength(14)
    expect(records).toContainEqual({ name: names.files, type: 'AAAA', value: '2001:db8::10' })
    expect(hostRecords(names, {})).toEqual([])
  })

  it('are written as in a zone, long texts in pieces and quotes escaped', () => {
    const [line = ''] = recordLines([
      { name: 'a.test', type: 'TXT', value: `${'x'.repeat(255)}"\\y` },
    ])
    expect(line).toBe(`a.test. 3600 IN TXT   "${'x'.repeat(255)}" "\\"\\\\y"`)
    expect(recordLines(tenantRecords(names))[0]).toMatch(/MX +10 mail\.records\.test\.$/)
  })
})

describe('waiting for them', () => {
  const resolver = () => dnsResolver({ servers: [sandbox.dnsServer] })
  const wait = (changed: Partial<Parameters<typeof waitForRecords>[0]>) =>
    waitForRecords({
      resolver: resolver(),
      records: hostRecords(names, { ipv4: '192.0.2.10' }),
      report: () => undefined,
      pause: async () => undefined,
      timeoutMs: 0,
      ...changed,
    })

  it('takes a name that leads elsewhere, or cannot be looked up, for missing', async () => {
    sandbox.dns.zones.put('records.test', [
      { name: 'portal.records.test', type: 'A', value: '192.0.2.99' },
    ])
    const records = hostRecords(names, { ipv4: '192.0.2.10' })
    expect(await missingRecords(resolver(), records)).toEqual(records)
    const unreachable = dnsResolver({ servers: ['127.0.0.1:1'], deadlineMs: 200, queryMs: 50 })
    expect(await missingRecords(unreachable, records.slice(0, 1))).toHaveLength(1)
  })

  it('finds a wildcard by a name below it', async () => {
    sandbox.dns.zones.put('tenants.records.test', [
      { name: 'tenants.records.test', type: 'MX', value: '10 mail.records.test.' },
      { name: 'atrium-check.tenants.records.test', type: 'MX', value: '10 mail.records.test.' },
    ])
    expect(await missingRecords(resolver(), tenantRecords(names))).toEqual([])
  })

  it('reports what is missing once per change, and ends when nothing is', async () => {
    const hosts = hostRecords(names, { ipv4: '192.0.2.10' })
    const reports: number[] = []
    let looked = 0
    sandbox.dns.zones.put('records.test', [])
    const complete = await wait({
      timeoutMs: 20_000,
      report: (missing) => reports.push(missing.length),
      pause: async () => {
        looked += 1
        // Nothing new, then one half, then all of it.
        if (looked >= 2) sandbox.dns.zones.put('records.test', hosts.slice(0, looked > 2 ? 7 : 3))
      },
    })
    expect(complete).toBe(true)
    expect(reports).toEqual([7, 4, 0])
  })

  it('gives up when its time is over', async () => {
    sandbox.dns.zones.put('records.test', [])
    expect(await wait({})).toBe(false)
  })
})
