import { describe, expect, it } from 'vitest'
import { createFaults, FaultInput } from '../src/faults.ts'

describe('faults', () => {
  it('hit the calls whose names contain the match, of their system only', () => {
    const faults = createFaults()
    const { id } = faults.add({ system: 'mail', mode: 'error', match: 'x:Domain/set' })
    expect(faults.take('mail', ['POST /jmap', 'x:Domain/get'])).toBeUndefined()
    expect(faults.take('files', ['x:Domain/set'])).toBeUndefined()
    expect(faults.take('mail', ['POST /jmap', 'x:Domain/set'])?.id).toBe(id)
    expect(faults.list()).toEqual([expect.objectContaining({ id, hits: 1 })])
  })

  it('without a match hit every call', () => {
    const faults = createFaults()
    faults.add({ system: 'identity', mode: 'reset' })
    expect(faults.take('identity', ['GET /'])?.mode).toBe('reset')
  })

  it('count down and are gone after the last hit', () => {
    const faults = createFaults()
    faults.add({ system: 'files', mode: 'error', times: 2 })
    expect(faults.take('files', ['GET /'])?.mode).toBe('error')
    expect(faults.list()[0]).toMatchObject({ times: 1 })
    expect(faults.take('files', ['GET /'])?.mode).toBe('error')
    expect(faults.take('files', ['GET /'])).toBeUndefined()
    expect(faults.list()).toEqual([])
  })

  it('are taken oldest first, and removed by id', () => {
    const faults = createFaults()
    const first = faults.add({ system: 'smtp', mode: 'timeout' })
    faults.add({ system: 'smtp', mode: 'reset' })
    expect(faults.take('smtp', ['MAIL FROM'])?.mode).toBe('timeout')
    expect(faults.remove(first.id)).toBe(true)
    expect(faults.remove(first.id)).toBe(false)
    expect(faults.take('smtp', ['MAIL FROM'])?.mode).toBe('reset')
    faults.clear()
    expect(faults.take('smtp', ['MAIL FROM'])).toBeUndefined()
  })

  it('cannot be changed through what is handed out', () => {
    const faults = createFaults()
    faults.add({ system: 'identity', mode: 'reset' }).hits = 9
    expect(faults.list()[0]?.hits).toBe(0)
  })

  it.each([
    { system: 'ldap', mode: 'reset' },
    { system: 'mail', mode: 'explode' },
    { system: 'mail', mode: 'error', status: 200 },
    { system: 'mail', mode: 'error', times: 0 },
    { system: 'mail', mode: 'latency', delayMs: -1 },
    { system: 'mail', mode: 'reset', unknown: true },
  ])('refuse %o', (input) => {
    expect(FaultInput.safeParse(input).success).toBe(false)
  })
})
