import type { SecurityPolicyView } from '@atrium/core/security-policy/security-policy'
import { describe, expect, it } from 'vitest'
import { addEntries } from '../src/security-policy/allowlist.ts'
import {
  changesOf,
  fromPolicy,
  minutesText,
  PolicyForm,
  putBack,
} from '../src/security-policy/policy-form.ts'

const policy: SecurityPolicyView = {
  mfaMode: 'optional',
  mfaGraceDays: 0,
  mfaRequiredFrom: null,
  sessionIdleMinutes: 30,
  sessionAbsoluteMinutes: null,
  allowedCountries: ['DE', 'FR'],
  ipAllowlist: ['203.0.113.0/24'],
  enforced: true,
  atProvider: { state: 'ok', error: null },
  updatedAt: null,
  editVersion: 'v1',
}

describe('the security policy form', () => {
  it('sends nothing when it says what is stored, in whatever order', () => {
    expect(
      changesOf('acme', policy, { ...fromPolicy(policy), allowedCountries: ['FR', 'DE'] }),
    ).toBeUndefined()
  })

  it('sends the changed fields alone, and null for a limit that was emptied', () => {
    expect(
      changesOf('acme', policy, {
        ...fromPolicy(policy),
        mfaMode: 'required',
        sessionIdleMinutes: '',
        ipAllowlist: [],
      }),
    ).toEqual({
      slug: 'acme',
      mfaMode: 'required',
      sessionIdleMinutes: null,
      ipAllowlist: [],
      expectedVersion: 'v1',
    })
  })

  it('sends a policy that is not enforced yet although nothing was changed', () => {
    const stored = { ...policy, enforced: false }
    expect(changesOf('acme', stored, fromPolicy(stored))).toEqual({
      slug: 'acme',
      mfaMode: 'optional',
      expectedVersion: 'v1',
    })
  })

  it('rejects an idle limit above the absolute one, at the idle one', () => {
    const parsed = PolicyForm.safeParse({
      mfaMode: 'off',
      sessionIdleMinutes: 60,
      sessionAbsoluteMinutes: 30,
    })
    expect(parsed.error?.issues.map(({ path }) => path.join('.'))).toEqual(['sessionIdleMinutes'])
  })

  it('puts a policy back whole, limits that were none included', () => {
    expect(putBack('acme', policy, 'v2')).toEqual({
      slug: 'acme',
      mfaMode: 'optional',
      mfaGraceDays: 0,
      sessionIdleMinutes: 30,
      sessionAbsoluteMinutes: null,
      allowedCountries: ['DE', 'FR'],
      ipAllowlist: ['203.0.113.0/24'],
      expectedVersion: 'v2',
    })
  })
})

it('says minutes as people do', () => {
  expect([30, 60, 480, 1441, '', 'x', 0].map(minutesText)).toEqual([
    '30 minutes',
    '1 hour',
    '8 hours',
    '1 day 1 minute',
    '',
    '',
    '',
  ])
})

describe('entries of the address list', () => {
  it('are taken from pasted lines with comments, in canonical form and order', () => {
    const read = addEntries(
      ['203.0.113.0/24'],
      'office: # main\n2001:DB8:0::/32, 198.51.100.7/32;203.0.113.9',
    )
    expect(read.entries).toEqual(['198.51.100.7', '203.0.113.0/24', '2001:db8::/32'])
    expect(read.notes).toEqual(['203.0.113.9 lies within 203.0.113.0/24 and was left out.'])
    expect(read.rejected.map(({ text }) => text)).toEqual(['office:'])
  })

  it('leave the list as it is when nothing could be read, with a reason each', () => {
    const read = addEntries(['203.0.113.0/24'], '10.0.0.5/8 0.0.0.0/0')
    expect(read.entries).toEqual(['203.0.113.0/24'])
    expect(read.rejected).toEqual([
      { text: '10.0.0.5/8', reason: expect.stringContaining('Bits are set behind the prefix') },
      { text: '0.0.0.0/0', reason: expect.stringContaining('lets everyone in') },
    ])
  })
})
