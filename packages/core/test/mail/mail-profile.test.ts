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
  /** What the profile says under a key, wherever that is. */
  const valuesOf = (profile: string, key: string) =>
    [
      ...profile.matchAll(new RegExp(`<key>${key}</key>\\s*<(?:\\w+>(.*?)</\\w+|(\\w+)/)>`, 'g')),
    ].map(([, text, word]) => text ?? word)

  it('names servers, ports and user of mail, calendars and contacts, all with TLS', () => {
    const profile = mailProfile(options)
    expect(valuesOf(profile, 'PayloadType')).toEqual([
      'Configuration',
      'com.apple.mail.managed',
      'com.apple.caldav.account',
      'com.apple.carddav.account',
    ])
    expect(valuesOf(profile, 'IncomingMailServerPortNumber')).toEqual(['993'])
    expect(valuesOf(profile, 'OutgoingMailServerPortNumber')).toEqual(['465'])
    expect(valuesOf(profile, '(?:CalDAV|CardDAV)Port')).toEqual(['443', '443'])
    expect(valuesOf(profile, '\\w+HostName')).toEqual(Array(4).fill('mail.example.test'))
    expect(valuesOf(profile, '\\w+Username')).toEqual(Array(4).fill('anna@mail.acme.test'))
    expect(valuesOf(profile, '\\w+UseSSL')).toEqual(Array(4).fill('true'))
    expect(valuesOf(profile, 'PayloadRemovalDisallowed')).toEqual(['false'])
    expect(profile).toMatch(/^<\?xml .*\n<!DOCTYPE plist .*\n<plist version="1\.0">\n<dict>\n/)
    expect(profile).toMatch(/<\/array>\n<\/dict>\n<\/plist>\n$/)
    expect(profile).not.toContain('undefined')
  })

  it('holds any name, without what XML cannot hold', () => {
    const name = 'A & <B> "C"\u0000\u001f\ud800\uffff🎉'
    expect(valuesOf(mailProfile({ ...options, name }), 'EmailAccountName')).toEqual([
      'A &amp; &lt;B&gt; "C"🎉',
    ])
  })

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
