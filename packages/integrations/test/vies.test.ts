import { startSandbox } from '@atrium/sandbox/start'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { UpstreamError } from '../src/upstream-error.ts'
import { type ViesOptions, vies } from '../src/vat-registry/vies.ts'
import { faults } from './faults.ts'
import { scriptedForms } from './scripted-forms.ts'

const now = Date.parse('2026-02-03T04:05:06Z')
const quick = { backoffMs: { initial: 1, max: 2 }, circuit: { failures: 1_000, openMs: 1 } }
let sandbox: Awaited<ReturnType<typeof startSandbox>>

beforeAll(async () => {
  sandbox = await startSandbox({ now: () => now })
})
afterEach(() => sandbox.clearFaults())
afterAll(() => sandbox.close())

const client = (options: Partial<ViesOptions> = {}) =>
  vies({ baseUrl: sandbox.viesUrl, requester: null, ...quick, ...options })

const kindOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: UpstreamError) => error.kind,
  )

describe('the VAT register', () => {
  it('tells whether a number is valid and whose it is', async () => {
    sandbox.vies.put('FR40303265045', { valid: true, name: 'Acme SAS', address: '1 Rue A\nParis' })
    expect(await client().checkNumber('FR40303265045')).toEqual({
      valid: true,
      name: 'Acme SAS',
      address: '1 Rue A\nParis',
      consultationNumber: null,
      answeredAt: new Date(now),
    })
    sandbox.vies.put('DE136695976', { valid: false })
    expect(await client().checkNumber('DE136695976')).toMatchObject({
      valid: false,
      name: null,
      address: null,
    })
  })

  it('gives a consultation number to who asks in a name', async () => {
    const { consultationNumber } = await client({ requester: 'DE136695976' }).checkNumber(
      'ATU13585627',
    )
    expect(consultationNumber).toMatch(/^WAPIA/)
  })

  it.each([
    ['MS_UNAVAILABLE', 'server'],
    ['SERVICE_UNAVAILABLE', 'server'],
    ['TIMEOUT', 'timeout'],
    ['MS_MAX_CONCURRENT_REQ', 'rate_limited'],
    ['GLOBAL_MAX_CONCURRENT_REQ', 'rate_limited'],
    ['IP_BLOCKED', 'unauthorized'],
    ['INVALID_REQUESTER_INFO', 'unauthorized'],
    ['INVALID_INPUT', 'refused'],
    ['A_NEW_WORD', 'server'],
  ])('that says %s has said nothing of the number', async (error, kind) => {
    sandbox.vies.put('DE999999999', { error })
    expect(await kindOf(client().checkNumber('DE999999999'))).toBe(kind)
  })

  it('is asked again after a failure that passes', async () => {
    sandbox.fault({ system: 'vies', mode: 'error', status: 503, times: 2 })
    expect((await client().checkNumber('ATU13585627')).valid).toBe(true)
  })

  it('is not asked while its circuit is open', async () => {
    const given = client({ retries: 0, circuit: { failures: 2, openMs: 60_000 } })
    sandbox.fault({ system: 'vies', mode: 'error', status: 503, times: 2 })
    expect(await kindOf(given.checkNumber('ATU13585627'))).toBe('server')
    expect(await kindOf(given.checkNumber('ATU13585627'))).toBe('server')
    expect(await kindOf(given.checkNumber('ATU13585627'))).toBe('circuit_open')
  })

  it.each(faults)('is not believed after $name', async (fault) => {
    await using server = await scriptedForms((_, response) => fault.answer(response))
    const given = client({
      baseUrl: server.url,
      maxResponseBytes: 100_000,
      deadlineMs: fault.deadlineMs ?? 10_000,
    })
    expect(await kindOf(given.checkNumber('ATU13585627'))).not.toBe('answered')
  })
})
