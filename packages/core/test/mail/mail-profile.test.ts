import { describe, expect, it } from 'vitest'
import { mailProfile } from '../../src/mail/mail-profile.ts'

const options = {
  address: 'anna@mail.acme.test',
  name: 'Anna',
  organisation: 'Acme',
  mailHost: 'mail.example.test',
  uuid: (text: string) => `<${text}>`,
}

describe('a mail profile', () => {
  it('is identified by the address alone', () => {
    const identifiers = (profile: string) =>
      [...profile.matchAll(/<key>Payload(Identifier|UUID)<\/key>\s*<string>(.*?)<\/string>/g)].map(
        ([, , id]) => id,
      )
    const own = identifiers(mailProfile(options))
    expect(own).toHaveLength(8)
    expect(own[0]).toBe('test.acme.mail.&lt;anna@mail.acme.test&gt;')
    expect(
      identifiers(
        mailProfile({ ...options, name: 'Other', organisation: 'Other', mailHost: 'other.test' }),
      ),
    ).toEqual(own)
    expect(identifiers(mailProfile({ ...options, address: 'adam@mail.acme.test' }))).not.toContain(
      own[1],
    )
  })
})
