import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseZone } from '../src/mail/zone.ts'

const rsa = `v=DKIM1; k=rsa; h=sha256; p=${'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA'.repeat(9)}`

describe('parseZone', () => {
  it('reads the text of a mail server', () => {
    const zone = `v1-ed25519-20260820._domainkey.acme.example. IN TXT "v=DKIM1; k=ed25519; h=sha256; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
v1-rsa-20260820._domainkey.acme.example. IN TXT (
    "${rsa.slice(0, 255)}"
    "${rsa.slice(255)}"
)
acme.example. IN TXT "v=spf1 mx -all"
acme.example. IN MX 10 mail.Example.org.
_imaps._tcp.acme.example. IN SRV 0 1 993 mail.example.org.
_25._tcp.mail.acme.example. IN TLSA 3 1 1 abcdef
autoconfig.acme.example. IN CNAME mail.example.org.
acme.example. IN CAA 0 issue "letsencrypt.org; accounturi=https://x"
_ua-auto-config.acme.example. IN TXT "v=UAAC1; a=sha256; d=\\"q\\\\"
`
    expect(parseZone(zone)).toEqual([
      {
        name: 'v1-ed25519-20260820._domainkey.acme.example',
        type: 'TXT',
        value: 'v=DKIM1; k=ed25519; h=sha256; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
      },
      { name: 'v1-rsa-20260820._domainkey.acme.example', type: 'TXT', value: rsa },
      { name: 'acme.example', type: 'TXT', value: 'v=spf1 mx -all' },
      { name: 'acme.example', type: 'MX', value: '10 mail.example.org' },
      { name: '_imaps._tcp.acme.example', type: 'SRV', value: '0 1 993 mail.example.org' },
      { name: '_25._tcp.mail.acme.example', type: 'TLSA', value: '3 1 1 abcdef' },
      { name: 'autoconfig.acme.example', type: 'CNAME', value: 'mail.example.org' },
      {
        name: 'acme.example',
        type: 'CAA',
        value: '0 issue "letsencrypt.org; accounturi=https://x"',
      },
      { name: '_ua-auto-config.acme.example', type: 'TXT', value: 'v=UAAC1; a=sha256; d="q\\' },
    ])
  })

  it('reads what other writers of zones put in', () => {
    const zone = `; a comment
ACME.example. 3600 IN MX 0 .   ; no mail (RFC 7505)
acme.example. IN 3600 txt bare "two \\059 words" ; "not this"

a.example. NS ns.example.\r
b.example. IN TXT ( "one" ; first
  "two" ) `
    expect(parseZone(zone)).toEqual([
      { name: 'acme.example', type: 'MX', value: '0 .' },
      { name: 'acme.example', type: 'TXT', value: 'baretwo ; words' },
      { name: 'a.example', type: 'NS', value: 'ns.example' },
      { name: 'b.example', type: 'TXT', value: 'onetwo' },
    ])
    expect(parseZone('')).toEqual([])
  })

  it.each([
    'acme.example. IN TXT "open',
    'acme.example. IN TXT ( "open"',
    'acme.example. IN TXT "x" )',
    'acme.example. IN TXT',
    'acme.example. IN',
    'acme.example.',
    'relative IN MX 10 mail.example.org.',
    '"acme.example." IN TXT "x"',
    'acme.example. IN "TXT" "x"',
    '. IN TXT "x"',
    'acme.example. IN TXT x\\',
    '<html><body>Not a zone</body></html>',
  ])('does not read %j', (zone) => {
    expect(parseZone(zone)).toBeUndefined()
  })

  const label = fc.stringMatching(/^[a-z0-9_]([a-z0-9-]{0,10}[a-z0-9])?$/)
  const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'))
  const text = fc.string({ unit: 'grapheme', maxLength: 600 }).filter((value) => value !== '')
  const record = fc.oneof(
    fc.record({ name, type: fc.constant('TXT'), value: text }),
    fc.record({
      name,
      type: fc.constant('MX'),
      value: fc.tuple(fc.nat(65_535), name).map(([preference, host]) => `${preference} ${host}`),
    }),
    fc.record({ name, type: fc.constant('CNAME'), value: name }),
  )

  const quoted = (part: string) => `"${part.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  const chunks = (value: string) => value.match(/.{1,255}/gsu) ?? []
  const written = (one: { name: string; type: string; value: string }) => {
    if (one.type !== 'TXT') return `${one.name}. IN ${one.type} ${one.value}.\n`
    if (one.value.length <= 255) return `${one.name}. IN TXT ${quoted(one.value)}\n`
    const lines = chunks(one.value).map((chunk) => `    ${quoted(chunk)}\n`)
    return `${one.name}. IN TXT (\n${lines.join('')})\n`
  }

  it('reads back every zone that is written as the server writes it', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), (records) => {
        expect(parseZone(records.map(written).join(''))).toEqual(records)
      }),
    )
  })

  it('ends on any text, quickly', () => {
    const junk = fc.string({
      unit: fc.constantFrom('"', '\\', '(', ')', ';', '\n', ' ', 'a', '.', '1', 'IN', 'TXT'),
      maxLength: 2_000,
    })
    fc.assert(
      fc.property(junk, (zone) => {
        const records = parseZone(zone)
        expect(records === undefined || Array.isArray(records)).toBe(true)
      }),
    )
  })
})
