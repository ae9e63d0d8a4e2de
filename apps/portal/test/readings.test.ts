import type { MemberStorage } from '@atrium/core/upstream-cache/storage'
import { describe, expect, it } from 'vitest'
import { settingsOf } from '../src/devices/mail-settings.ts'
import { factorsCell, factorsText, knownShare, sharesOf } from '../src/mfa/status-meta.ts'
import { memberUse, sizeText, storageText, usedPercent } from '../src/storage/status-meta.ts'

const gibibyte = 1024 ** 3

describe('second factors', () => {
  it('are named by kind and number, a new kind by the provider’s own name', () => {
    expect(factorsText({ webauthn: 2, totp: 1, hologram: 3 })).toBe(
      '2 passkeys or security keys, 1 authenticator app, 3 hologram',
    )
    expect(factorsText({})).toBe('none')
  })

  it('that could not be read are said to be unknown, with the reason, and never to be none', () => {
    const checkedAt = '2026-11-21T12:00:00.000Z'
    expect(factorsCell({ factors: {}, reason: null, checkedAt })).toBe('none')
    expect(factorsCell({ factors: null, reason: 'The identity provider failed.', checkedAt })).toBe(
      'The identity provider failed.',
    )
    expect(factorsCell({ factors: null, reason: null, checkedAt })).toBe('Could not be read')
    expect(factorsCell({ factors: null, reason: null, checkedAt: null })).toBe('Not read yet')
  })

  it('make a chart whose parts are the whole, and a share of those who are known alone', () => {
    const summary = { members: 8, enrolled: 2, notEnrolled: 1, unknown: 5 }
    expect(sharesOf(summary).reduce((sum, { percent }) => sum + percent, 0)).toBe(100)
    expect(knownShare(summary)).toBe('66%')
    expect(knownShare({ members: 5, enrolled: 0, notEnrolled: 0, unknown: 5 })).toBe('–')
    expect(knownShare({ members: 1000, enrolled: 999, notEnrolled: 1, unknown: 0 })).toBe('99%')
    expect(
      sharesOf({ members: 0, enrolled: 0, notEnrolled: 0, unknown: 0 }).map(
        ({ percent }) => percent,
      ),
    ).toEqual([0, 0, 0])
  })
})

describe('storage', () => {
  const space = {
    total: 5 * gibibyte,
    used: gibibyte,
    remaining: 4 * gibibyte,
    unlimited: false,
    state: 'normal' as const,
  }

  it('is reported in one sentence', () => {
    expect(storageText(space)).toBe('1 GB of 5 GB used, 4 GB left.')
    expect(storageText({ ...space, total: null, remaining: null, unlimited: true })).toBe(
      '1 GB used, without a limit.',
    )
    expect(storageText({ ...space, used: null, remaining: null, state: 'unavailable' })).toBe(
      'How much is stored could not be read.',
    )
    expect(
      storageText({ ...space, remaining: -gibibyte, used: 6 * gibibyte, state: 'exceeded' }),
    ).toBe('6 GB of 5 GB used, 0 B left.')
  })

  it('has a bar only where both sides are known, and one that ends at its end', () => {
    expect(usedPercent(space)).toBe(20)
    expect(usedPercent({ total: gibibyte, used: 2 * gibibyte })).toBe(100)
    expect(usedPercent({ total: null, used: gibibyte })).toBeUndefined()
    expect(usedPercent({ total: gibibyte, used: null })).toBeUndefined()
    expect(usedPercent({ total: 0, used: 0 })).toBeUndefined()
  })

  it('says of a person what is known and nothing more', () => {
    const person: MemberStorage = {
      userId: '019aa7a0-1111-7222-8333-944455556666',
      email: 'a@b.test',
      name: 'A',
      state: 'known',
      used: 0,
      checkedAt: null,
      reason: null,
    }
    expect(memberUse(person)).toEqual({ text: '0 B', known: true })
    expect(memberUse({ ...person, state: 'no_account', used: null })).toEqual({
      text: 'No file account',
      known: false,
    })
    expect(memberUse({ ...person, state: 'unknown', used: null })).toEqual({
      text: 'Not read yet',
      known: false,
    })
    expect(memberUse({ ...person, state: 'unknown', used: null, reason: 'No answer.' })).toEqual({
      text: 'No answer.',
      known: false,
    })
    expect(sizeText(null)).toBe('Unknown')
  })
})

it('gives the settings that the seed names: IMAP 993 and SMTP 465, and the address as user name', () => {
  const groups = settingsOf({ host: 'mail.acme.test' }, 'ada@acme.test')
  const of = (title: string) =>
    Object.fromEntries(
      groups.find((group) => group.title === title)?.settings.map((s) => [s.label, s.value]) ?? [],
    )
  expect(of('Incoming mail')).toEqual({
    Server: 'mail.acme.test',
    Port: '993',
    Security: 'SSL/TLS',
    'User name': 'ada@acme.test',
  })
  expect(of('Outgoing mail')).toEqual({
    Server: 'mail.acme.test',
    Port: '465',
    Security: 'SSL/TLS',
    'User name': 'ada@acme.test',
  })
  expect(of('Calendars and contacts').Calendars).toBe('https://mail.acme.test/.well-known/caldav')
})
