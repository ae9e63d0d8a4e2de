import { describe, expect, it } from 'vitest'
import {
  CreateMember,
  memberAddress,
  memberAddressOf,
  RemoveMemberAlias,
  UpdateMember,
} from '../../src/members/members.ts'

const slug = 'acme'
const userId = '01a1ffa0-915e-7644-aaf6-d11f66e35098'

describe('the address of a member', () => {
  it.each([
    ['Mira', 'mira'],
    [' mira.m@Acme.Example ', 'mira.m@acme.example'],
    ['mira@Müller.test', 'mira@xn--mller-kva.test'],
    ["o'neil+x@acme.example", "o'neil+x@acme.example"],
  ])('%j is %s', (typed, address) => {
    expect(memberAddress.parse(typed)).toBe(address)
  })

  it.each([
    '',
    '@acme.example',
    'a@',
    'a b',
    'a..b',
    '.a',
    'mára',
    'аdmin',
    'a\u200bb',
    'a@b@c.example',
    '"a"@acme.example',
    'a@127.0.0.1',
    `${'a'.repeat(65)}`,
  ])('%j is rejected with a reason', (typed) => {
    const { error } = memberAddress.safeParse(typed)
    expect(error?.issues[0]?.message).toMatch(/@/)
  })
})

describe('an address with a fault', () => {
  const faultOf = (typed: string) => memberAddress.safeParse(typed).error?.issues[0]?.message
  const longest = `${'d'.repeat(60)}.`.repeat(4).slice(0, -1)

  it.each(['mára', 'mára@acme.example', '\u212aate'])('%j names the characters', (typed) => {
    expect(faultOf(typed)).toContain('letters without accents')
  })

  it('is one with nothing before the @, not a local part', () => {
    expect(faultOf('@acme.example')).toBe(faultOf('.a'))
    expect(faultOf('@müller.test')).toBe(faultOf('.a'))
  })

  it('is one of more than 254 characters, counted as it is sent', () => {
    const local = 'a'.repeat(254 - 1 - longest.length)
    expect(memberAddressOf(`${local}@${longest}`)).toEqual({ address: `${local}@${longest}` })
    expect(memberAddressOf(`a${local}@${longest}`)).toEqual({ fault: faultOf('a@') })
  })
})

describe('what can be asked for a member', () => {
  it('is the role of a plain member unless another is named, never that of the owner', () => {
    expect(CreateMember.parse({ slug, email: 'a' }).role).toBe('member')
    expect(CreateMember.safeParse({ slug, email: 'a', role: 'owner' }).success).toBe(false)
    expect(UpdateMember.safeParse({ slug, userId, role: 'owner' }).success).toBe(false)
  })

  it('is at least one field, and no unknown one', () => {
    expect(UpdateMember.safeParse({ slug, userId }).success).toBe(false)
    expect(UpdateMember.safeParse({ slug, userId, phone: undefined }).success).toBe(false)
    expect(UpdateMember.safeParse({ slug, userId, phone: null }).success).toBe(true)
    expect(UpdateMember.safeParse({ slug, userId, phone: null, status: 'active' }).success).toBe(
      false,
    )
  })

  it('is an alias to remove in any case', () => {
    const address = ' Info@Acme.Example'
    expect(RemoveMemberAlias.parse({ slug, userId, address }).address).toBe('info@acme.example')
  })
})
