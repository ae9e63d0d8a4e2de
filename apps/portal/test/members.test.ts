import type { MemberView } from '@atrium/core/members/members'
import { describe, expect, it } from 'vitest'
import { effectsOf } from '../src/members/action-labels.ts'
import { planBulk, runEach } from '../src/members/bulk.ts'
import { emptyForm, outlookOf, toCreateMember } from '../src/members/create-form.ts'
import { firstPasswordNote } from '../src/members/first-password.tsx'
import { changesOf, fromMember } from '../src/members/member-form.ts'
import { isUnderWay, lacksFiles, memberMeta } from '../src/members/member-status-meta.ts'
import { passwordNote } from '../src/members/password-note.ts'
import { roleLock } from '../src/members/role-lock.ts'

const ok = { identity: 'ok', mail: 'ok', files: 'ok' } as const

function member(change: Partial<MemberView> = {}): MemberView {
  return {
    id: '019aa7a0-1111-7222-8333-944455556666',
    email: 'ada@acme.test',
    name: 'Ada',
    firstName: null,
    lastName: null,
    phone: null,
    alternativeEmail: null,
    role: 'member',
    status: 'active',
    mailboxAddress: 'ada@acme.test',
    outcomes: ok,
    errors: {},
    bootstrapAdmin: false,
    managed: true,
    needsPassword: false,
    temporaryPassword: null,
    joinedAt: '2026-11-21T12:00:00.000Z',
    ...change,
  }
}

describe('an act on several members', () => {
  const people = [
    member({ id: 'self', name: 'Self', role: 'admin' }),
    member({ id: 'owner', name: 'Owner', role: 'owner' }),
    member({ id: 'active', name: 'Active' }),
    member({ id: 'asleep', name: 'Asleep', status: 'suspended' }),
    member({ id: 'going', name: 'Going', status: 'removing' }),
  ]
  const names = (act: Parameters<typeof planBulk>[0]) =>
    planBulk(act, people, 'self').fit.map(({ name }) => name)

  it('is done to those it fits alone', () => {
    expect(names('suspend')).toEqual(['Active'])
    expect(names('resume')).toEqual(['Asleep'])
    expect(names('forceLogout')).toEqual(['Owner', 'Active', 'Asleep'])
    expect(names('remove')).toEqual(['Active', 'Asleep'])
  })

  it('says for each of the others why it is left as it is', () => {
    expect(
      planBulk('suspend', people, 'self').left.map(({ member: { name }, reason }) => [
        name,
        reason,
      ]),
    ).toEqual([
      ['Self', 'that is you'],
      ['Owner', 'owns the workplace'],
      ['Asleep', 'suspended already'],
      ['Going', 'being removed'],
    ])
  })

  it('leaves people alone whose sessions are not this workplace’s to end', () => {
    const shared = member({ id: 'shared', managed: false })
    expect(planBulk('forceLogout', [shared], 'self').fit).toEqual([])
    expect(planBulk('suspend', [shared], 'self').fit).toEqual([shared])
  })

  it('goes on after a failure, a few at a time, and tells of each as it ends', async () => {
    let running = 0
    let most = 0
    const told: number[] = []
    const results = await runEach(
      [1, 2, 3, 4, 5, 6, 7, 8],
      async (item) => {
        most = Math.max(most, ++running)
        await new Promise((done) => setTimeout(done, 1))
        running -= 1
        if (item === 4) throw new TypeError('lost')
        return item * 10
      },
      ({ item }) => told.push(item),
    )
    expect(most).toBe(3)
    expect(told.sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(
      results.filter(({ problem }) => problem).map(({ item, problem }) => [item, problem?.code]),
    ).toEqual([[4, 'unreachable']])
    expect(results.find(({ item }) => item === 8)?.value).toBe(80)
  })
})

describe('a new member', () => {
  it('gets what was typed and nothing that was left blank', () => {
    expect(toCreateMember('acme', { ...emptyForm, email: ' Mira ', firstName: 'Mira' })).toEqual({
      slug: 'acme',
      email: 'mira',
      firstName: 'Mira',
      role: 'member',
    })
  })

  it('has an outlook by the address: a mailbox on a domain of the workplace, none on another', () => {
    const domains = ['acme.test', 'acme.example']
    expect(outlookOf('Mira', domains, 'acme.test')).toEqual({
      address: 'mira@acme.test',
      mailbox: true,
    })
    expect(outlookOf('mira@acme.example', domains, 'acme.test')).toEqual({
      address: 'mira@acme.example',
      mailbox: true,
    })
    expect(outlookOf('mira@elsewhere.example', domains, 'acme.test')).toEqual({
      address: 'mira@elsewhere.example',
      mailbox: false,
    })
    expect(outlookOf('', domains, 'acme.test')).toBeUndefined()
    expect(outlookOf('míra', domains, 'acme.test')).toBeUndefined()
    expect(outlookOf('mira', [], null)).toBeUndefined()
  })
})

describe('changes of a member', () => {
  it('are none when the form still says what the record says', () => {
    expect(changesOf('acme', member(), fromMember(member()))).toBeUndefined()
  })

  it('name the changed fields alone, and clear the emptied ones', () => {
    const before = member({ phone: '+49 30 1' })
    expect(
      changesOf('acme', before, { ...fromMember(before), name: 'Ada L.', phone: ' ' }),
    ).toEqual({
      slug: 'acme',
      userId: before.id,
      name: 'Ada L.',
      phone: null,
    })
  })
})

describe('what a member looks like', () => {
  it('puts a failure before the status', () => {
    expect(memberMeta(member()).label).toBe('Active')
    expect(memberMeta(member({ outcomes: { ...ok, mail: 'error' } }))).toEqual({
      label: 'Active, needs attention',
      tone: 'warning',
    })
    expect(
      memberMeta(member({ status: 'provisioning', outcomes: { ...ok, mail: 'error' } })).label,
    ).toBe('Setup incomplete')
    expect(
      memberMeta(member({ status: 'removing', outcomes: { ...ok, files: 'error' } })).label,
    ).toBe('Removal incomplete')
  })

  it('is under way while a system has work left, and not once all of it has failed', () => {
    expect(
      isUnderWay(member({ status: 'provisioning', outcomes: { ...ok, files: 'pending' } })),
    ).toBe(true)
    expect(
      isUnderWay(member({ status: 'provisioning', outcomes: { ...ok, files: 'error' } })),
    ).toBe(false)
    expect(isUnderWay(member({ outcomes: { ...ok, files: 'pending' } }))).toBe(false)
  })
})

it('says why a role is locked, the strongest reason first', () => {
  expect(roleLock({ role: 'owner', bootstrapAdmin: true }, true)).toMatch(/ownership/)
  expect(roleLock({ role: 'admin', bootstrapAdmin: true }, false)).toMatch(/no mailbox/)
  expect(roleLock({ role: 'admin', bootstrapAdmin: false }, true)).toMatch(/another admin/)
  expect(roleLock({ role: 'admin', bootstrapAdmin: false }, false)).toBeUndefined()
})

it('says where a new password holds and where it does not', () => {
  expect(
    passwordNote(member(), {
      linkSentTo: null,
      outcomes: { identity: { state: 'ok' }, mail: { state: 'ok' }, sessions: { state: 'ok' } },
    }),
  ).toBe('It works for sign-in and the mailbox of ada@acme.test. Share it over a secure channel.')
  expect(
    passwordNote(member(), {
      linkSentTo: null,
      outcomes: {
        identity: { state: 'ok' },
        mail: { state: 'error', error: 'The mail server failed.' },
        sessions: { state: 'ok' },
      },
    }),
  ).toBe(
    'It works for sign-in of ada@acme.test. The mailbox did not accept it: The mail server failed. Reset it again when the system works.',
  )
  expect(
    passwordNote(member(), {
      linkSentTo: null,
      outcomes: {
        identity: { state: 'ok' },
        mail: { state: 'ok' },
        sessions: { state: 'error', error: 'The identity provider failed.' },
      },
    }),
  ).toContain(
    'Sessions and apps may stay signed in for up to 30 days: The identity provider failed. Sign the member out everywhere.',
  )
})

it('says before a suspension that open mail connections go on, and for how long', () => {
  const effect = effectsOf('suspend').find((one) => one.includes('mail program'))
  expect(effect).toMatch(
    /connected now .* until it disconnects, is idle for 30 minutes, or the mail server restarts\.$/,
  )
})

it('says with a first password what is not ready yet', () => {
  expect(firstPasswordNote(member({ email: 'ada@home.example' }))).toMatch(
    /^For ada@home.example, with the mailbox ada@acme.test\./,
  )
  expect(firstPasswordNote(member({ outcomes: { ...ok, mail: 'error' } }))).toMatch(
    /Not ready yet: mailbox\./,
  )
})

it('files are offered to an active member who has none, where the tenant has a space', () => {
  const none = { ...ok, files: 'skipped' } as const
  const space = { provisioningStatus: ok }
  expect(lacksFiles(member({ outcomes: none, role: 'owner' }), space)).toBe(true)
  expect(lacksFiles(member(), space)).toBe(false)
  expect(lacksFiles(member({ outcomes: none, status: 'suspended' }), space)).toBe(false)
  expect(lacksFiles(member({ outcomes: none }), { provisioningStatus: none })).toBe(false)
})
