import type { RecordVerdict } from '@atrium/core/mail/domains'
import { describe, expect, it } from 'vitest'
import {
  hostPart,
  mxParts,
  progressText,
  recordText,
  removalObstacles,
  sortRecords,
} from '../src/domains/records.ts'

const record = (
  purpose: RecordVerdict['purpose'],
  verdict: RecordVerdict['verdict'],
  required = true,
): RecordVerdict => ({
  type: 'TXT',
  name: 'acme.test',
  value: 'v',
  purpose,
  required,
  verdict,
  found: [],
  reason: null,
})

describe('records to publish', () => {
  it('are sorted by what mail needs first', () => {
    const records = [
      record('other', 'ok'),
      record('dkim', 'ok'),
      record('ownership', 'ok'),
      record('dkim', 'missing'),
    ]
    expect(sortRecords(records).map(({ purpose, verdict }) => [purpose, verdict])).toEqual([
      ['ownership', 'ok'],
      ['dkim', 'ok'],
      ['dkim', 'missing'],
      ['other', 'ok'],
    ])
  })

  it('are named as providers want it: relative, @ for the domain, whole when elsewhere', () => {
    expect(
      ['acme.test', '_dmarc.acme.test', 'mail.else.test', 'notacme.test'].map((name) =>
        hostPart(name, 'acme.test'),
      ),
    ).toEqual(['@', '_dmarc', 'mail.else.test', 'notacme.test'])
  })

  it('count the needed ones only, and never an unreachable one as right', () => {
    expect(
      progressText([
        record('mx', 'ok'),
        record('spf', 'unknown'),
        record('other', 'missing', false),
      ]),
    ).toBe('1 of 2 required records are right')
    expect(progressText([record('mx', 'ok'), record('spf', 'ok')])).toBe(
      'All 2 required records are right',
    )
    expect(progressText([])).toBe('No records known yet')
  })

  it.each([
    ['TXT', '_mta-sts.acme.test', 'v=STSv1; id=1', 'Encrypted delivery (MTA-STS)'],
    ['CNAME', 'mta-sts.acme.test', 'mail.host.test', 'Encrypted delivery (MTA-STS)'],
    [
      'TXT',
      '_smtp._tls.acme.test',
      'v=TLSRPTv1; rua=mailto:a@acme.test',
      'Encryption reports (TLS-RPT)',
    ],
    ['TLSA', '_25._tcp.mail.acme.test', '3 1 1 ab', 'Certificates (DANE)'],
    ['CAA', 'acme.test', '0 issue "ca.test"', 'Certificates'],
    ['TXT', '_validation-persist.acme.test', 'ca.test; accounturi=x', 'Certificates'],
    ['TXT', 'mail.acme.test', 'v=spf1 a -all', 'Senders (SPF)'],
    ['CNAME', 'autoconfig.acme.test', 'mail.host.test', 'Set-up of mail programs'],
    ['TXT', '_ua-auto-config.acme.test', 'v=UAAC1; a=sha256; d=x', 'Set-up of mail programs'],
  ])('say what %s %s is for', (type, name, value, title) => {
    expect(recordText({ purpose: 'other', type, name, value }).title).toBe(title)
  })

  it('take an MX apart and nothing else', () => {
    expect(mxParts({ type: 'MX', value: '10 mail.acme.test' })).toEqual({
      preference: '10',
      host: 'mail.acme.test',
    })
    expect(mxParts({ type: 'TXT', value: '10 mail.acme.test' })).toBeUndefined()
  })
})

describe('removal of a domain', () => {
  it('is open when nothing uses it, and for the main one when it is the last', () => {
    expect(
      removalObstacles({ primary: false, usage: { accounts: 0, aliases: 0, lists: 0 } }, 1),
    ).toEqual([])
    expect(removalObstacles({ primary: true, usage: null }, 0)).toEqual([])
  })

  it('says everything that is in the way, with counts', () => {
    expect(
      removalObstacles({ primary: true, usage: { accounts: 2, aliases: 0, lists: 3 } }, 1),
    ).toEqual([
      'It is the main domain. Make another one the main domain first.',
      'It is still used by 2 mailboxes and 3 distribution lists. Move or remove them first.',
    ])
  })
})
