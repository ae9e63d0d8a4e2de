import { type CheckTextKey, checkText } from '@atrium/core/mail/check-text'
import type { Ask, DnsAnswer } from '@atrium/core/mail/dns-answers'
import {
  expectedRecords,
  judgeRecords,
  regressions,
  type StoredVerdict,
  secondsUntilNextCheck,
  stateOf,
  uncheckedRecords,
  withVerdicts,
  writeVerdict,
  zoneText,
} from '@atrium/core/mail/domain-records'
import {
  type DnsRecord,
  isBelow,
  type RecordPurpose,
  type RecordVerdict,
  type Verdict,
} from '@atrium/core/mail/domains'
import { describe, expect, it } from 'vitest'

const name = 'acme.example'
const mailRecords: DnsRecord[] = [
  { name: `v1._domainkey.${name}`, type: 'TXT', value: 'v=DKIM1; k=rsa; h=sha256; p=AAAA' },
  { name, type: 'TXT', value: 'v=spf1 mx -all' },
  { name, type: 'MX', value: '10 mail.host.example' },
  {
    name: `_dmarc.${name}`,
    type: 'TXT',
    value: `v=DMARC1; p=reject; rua=mailto:postmaster@${name}`,
  },
  { name: `_imaps._tcp.${name}`, type: 'SRV', value: '0 1 993 mail.host.example' },
  { name: `autoconfig.${name}`, type: 'CNAME', value: 'mail.host.example' },
]
const dmarc = { policy: 'none' as const, rua: null, pct: 100 }
const domain = { name, ownershipToken: 'abc', managed: false, dmarc, mailRecords }

function dns(table: Record<string, readonly string[] | DnsAnswer>): Ask {
  return (type, at) => {
    const entry = table[`${type} ${at}`]
    if (entry === undefined) return { state: 'absent', nonexistent: false }
    return 'state' in entry ? entry : { state: 'found', values: entry }
  }
}
const published = Object.fromEntries(
  expectedRecords(domain).map((record) => [`${record.type} ${record.name}`, [record.value]]),
)
const judge = (changes: Record<string, readonly string[] | DnsAnswer>) =>
  judgeRecords(
    name,
    expectedRecords(domain),
    dns({ ...published, 'A mail.host.example': ['192.0.2.10'], ...changes }),
  )
const one = (records: readonly RecordVerdict[], purpose: RecordPurpose) =>
  records.find((record) => record.purpose === purpose)

describe('expectedRecords', () => {
  it('puts the proof first and our DMARC record in the place of the mail server’s', () => {
    expect(
      expectedRecords(domain).map(({ purpose, name: at, value, required }) => [
        purpose,
        at,
        value,
        required,
      ]),
    ).toEqual([
      ['ownership', `_atrium.${name}`, 'atrium-verification=abc', true],
      ['mx', name, '10 mail.host.example', true],
      ['spf', name, 'v=spf1 mx -all', true],
      ['dkim', `v1._domainkey.${name}`, 'v=DKIM1; k=rsa; h=sha256; p=AAAA', true],
      ['dmarc', `_dmarc.${name}`, 'v=DMARC1; p=none', true],
      ['other', `_imaps._tcp.${name}`, '0 1 993 mail.host.example', false],
      ['other', `autoconfig.${name}`, 'mail.host.example', false],
    ])
  })

  it('asks for no proof below the platform’s domain, and for nothing else without mail', () => {
    expect(
      expectedRecords({ ...domain, managed: true }).map(({ purpose }) => purpose),
    ).not.toContain('ownership')
    expect(expectedRecords({ ...domain, mailRecords: null }).map(({ purpose }) => purpose)).toEqual(
      ['ownership'],
    )
    expect([
      isBelow('a.b.local', 'b.local'),
      isBelow('ab.local', 'b.local'),
      isBelow('b.local', 'b.local'),
    ]).toEqual([true, false, false])
  })
})

describe('judgeRecords', () => {
  it('finds everything right where everything is published as shown', () => {
    expect(judge({}).map(({ verdict, reason }) => [verdict, reason])).toEqual(
      Array(7).fill(['ok', null]),
    )
  })

  describe('of records that are recommended', () => {
    const recommended: DnsRecord[] = [
      { name: `mta-sts.${name}`, type: 'CNAME', value: 'mail.host.example' },
      { name: `_mta-sts.${name}`, type: 'TXT', value: 'v=STSv1; id=7711' },
      {
        name: `_smtp._tls.${name}`,
        type: 'TXT',
        value: `v=TLSRPTv1; rua=mailto:postmaster@${name}`,
      },
      { name: `_25._tcp.mail.${name}`, type: 'TLSA', value: '3 1 1 abcdef' },
      { name, type: 'CAA', value: '0 issue "letsencrypt.org"' },
      { name: `mail.${name}`, type: 'TXT', value: 'v=spf1 a -all' },
    ]
    const records = expectedRecords({ ...domain, mailRecords: [...mailRecords, ...recommended] })
    const judgeAt = (key: string, values: readonly string[]) => {
      const judged = judgeRecords(
        name,
        records,
        dns({ ...published, 'A mail.host.example': ['192.0.2.10'], [key]: values }),
      )
      return judged.find((record) => `${record.type} ${record.name}` === key)
    }

    it('asks for none of them', () => {
      expect(records.filter(({ required }) => !required)).toEqual(
        [...mailRecords.slice(4), ...recommended].map((record) => ({
          ...record,
          purpose: 'other',
          required: false,
        })),
      )
      const without = judgeRecords(
        name,
        records,
        dns({ ...published, 'A mail.host.example': ['192.0.2.10'] }),
      )
      expect(without.filter(({ verdict }) => verdict === 'missing')).toHaveLength(
        recommended.length,
      )
      expect(stateOf(without, { proven: true, complete: true })).toBe('verified')
    })

    it.each([
      ['_mta-sts', 'v=STSv1;id=7711;', 'ok', null],
      ['_mta-sts', 'v=STSv1; id=20260101T', 'mismatch', 'another policy'],
      ['_mta-sts', 'v=STSv1; id', 'mismatch', 'cannot read'],
      ['_mta-sts', 'hello', 'mismatch', 'does not start with v=STSv1'],
      ['_smtp._tls', `v=TLSRPTv1;rua=mailto:postmaster@${name}`, 'ok', null],
      [
        '_smtp._tls',
        'v=TLSRPTv1; rua=https://reports.example',
        'ok',
        'Reports go to https://reports.example.',
      ],
      ['_smtp._tls', 'v=TLSRPTv1; rua=', 'mismatch', 'no address'],
    ])('reads %s %j', (label, value, verdict, reason) => {
      expect(judgeAt(`TXT ${label}.${name}`, [value])).toMatchObject({
        verdict,
        reason: reason && expect.stringContaining(reason),
      })
    })

    it('says that senders ignore two policies', () => {
      const twice = judgeAt(`TXT _mta-sts.${name}`, [
        'v=STSv1; id=7711',
        'v=STSv1; id=1',
        'another text',
      ])
      expect(twice).toMatchObject({
        verdict: 'mismatch',
        reason: expect.stringContaining('2 such records'),
      })
    })
  })

  it.each<[RecordPurpose, string, readonly string[], string]>([
    ['ownership', `TXT _atrium.${name}`, ['atrium-verification=other'], 'a different one'],
    ['ownership', `TXT _atrium.${name}`, ['hello'], 'not the one shown'],
    [
      'mx',
      `MX ${name}`,
      ['10 mx.elsewhere.example'],
      'Mail goes to mx.elsewhere.example instead of mail.host.example',
    ],
    [
      'mx',
      `MX ${name}`,
      ['10 mail.host.example', '20 mx.elsewhere.example'],
      'Part of the mail may go to mx.elsewhere.example',
    ],
    ['mx', `MX ${name}`, ['0 .'], 'accepts no mail'],
    ['other', `SRV _imaps._tcp.${name}`, ['0 1 143 mail.host.example'], 'not the one shown'],
  ])('says what is wrong with %s', (purpose, key, values, reason) => {
    expect(one(judge({ [key]: values }), purpose)).toMatchObject({
      verdict: 'mismatch',
      found: values,
      reason: expect.stringContaining(reason),
    })
  })

  it('names the first five hosts that mail goes to, and shows twenty values', () => {
    const values = Array.from({ length: 21 }, (_, n) => `${n} mx${n % 7}.elsewhere.example`)
    const mx = one(judge({ [`MX ${name}`]: values }), 'mx')
    expect(mx?.found).toEqual(values.slice(0, 20))
    const hosts = [0, 1, 2, 3, 4].map((n) => `mx${n}.elsewhere.example`).join(', ')
    expect(mx?.reason).toContain(`Mail goes to ${hosts} instead`)
  })

  it('compares names in any case, and texts with any white space between words', () => {
    const verdictOf = (key: string, value: string) =>
      judge({ [key]: [value] }).find((record) => `${record.type} ${record.name}` === key)?.verdict
    expect(verdictOf(`CNAME autoconfig.${name}`, ' Mail.Host.Example ')).toBe('ok')
    expect(verdictOf(`SRV _imaps._tcp.${name}`, '0  1 993 MAIL.host.example')).toBe('ok')
    expect(verdictOf(`MX ${name}`, ' 10  MAIL.host.example')).toBe('ok')
  })

  it('takes another preference of the only mail server, and the proof in quotation marks', () => {
    expect(one(judge({ [`MX ${name}`]: ['0 mail.host.example'] }), 'mx')).toMatchObject({
      verdict: 'ok',
      reason: expect.stringContaining('preference is 0'),
    })
    expect(
      one(judge({ [`TXT _atrium.${name}`]: ['"atrium-verification=abc"'] }), 'ownership')?.verdict,
    ).toBe('ok')
  })

  it('holds the order of several mail servers', () => {
    const two = expectedRecords({
      ...domain,
      mailRecords: [...mailRecords, { name, type: 'MX', value: '20 backup.host.example' }],
    })
    const run = (values: string[]) =>
      judgeRecords(name, two, dns({ ...published, [`MX ${name}`]: values })).filter(
        ({ purpose }) => purpose === 'mx',
      )
    expect(
      run(['1 mail.host.example', '5 backup.host.example']).map(({ verdict }) => verdict),
    ).toEqual(['ok', 'ok'])
    expect(
      run(['5 mail.host.example', '1 backup.host.example']).map(({ verdict }) => verdict),
    ).toEqual(['mismatch', 'mismatch'])
    expect(run(['1 mail.host.example']).map(({ verdict }) => verdict)).toEqual(['ok', 'mismatch'])
  })

  it('finds the record of a provider that adds the domain by itself, and a domain that does not exist', () => {
    const absent: DnsAnswer = { state: 'absent', nonexistent: false }
    const doubled = judge({
      [`TXT _dmarc.${name}`]: absent,
      [`TXT _dmarc.${name}.${name}`]: ['v=DMARC1; p=none'],
    })
    expect(one(doubled, 'dmarc')).toMatchObject({
      verdict: 'missing',
      reason: expect.stringContaining('Enter _dmarc as the name'),
    })
    const none = judgeRecords(name, expectedRecords(domain), () => ({
      state: 'absent',
      nonexistent: true,
    }))
    expect(one(none, 'mx')).toMatchObject({
      verdict: 'missing',
      reason: expect.stringContaining('Is it registered'),
    })
  })

  it('calls unknown what could not be asked, with the reason', () => {
    const records = judgeRecords(name, expectedRecords(domain), () => ({
      state: 'unknown',
      reason: checkText('dns.busy'),
    }))
    expect(new Set(records.map(({ verdict, reason }) => `${verdict}: ${reason}`))).toEqual(
      new Set(['unknown: Too many of our own DNS queries are waiting.']),
    )
  })

  it('is stored in English with what it was written from, for a reader of another language', () => {
    const found = one(judge({ [`TXT _dmarc.${name}`]: ['v=DMARC1; p=monitor'] }), 'dmarc')
    const stored: unknown = JSON.parse(JSON.stringify(found))
    const reason = 'Receivers cannot read it: p=monitor is not one of none, quarantine and reject.'
    expect(stored).toMatchObject({ reason, text: { key: 'dmarc.unreadable' } })
    const { text: _, ...english } = stored as StoredVerdict
    expect(writeVerdict(stored as StoredVerdict, 'en')).toEqual(english)
    expect(writeVerdict(stored as StoredVerdict, 'de')).toEqual({
      ...english,
      reason:
        'Empfänger können den Eintrag nicht lesen: p=monitor ist weder none noch quarantine noch reject.',
    })
  })

  it.each<[string, Pick<StoredVerdict, 'text'>]>([
    ['an earlier version', {}],
    ['a later version', { text: { key: 'spf.later' as CheckTextKey, values: {} } }],
  ])('is read in English where %s stored it', (_, also) => {
    const [record] = uncheckedRecords(expectedRecords(domain))
    if (!record) throw new Error('there is a record')
    const stored: StoredVerdict = { ...record, verdict: 'mismatch', reason: 'As it was.', ...also }
    expect(writeVerdict(stored, 'de').reason).toBe('As it was.')
  })

  it('shows no bytes that break a page, a log or the database', () => {
    const found = one(
      judge({ [`TXT _dmarc.${name}`]: [`v=DMARC1; p=no\0ne\u202e ${'x'.repeat(5_000)}`] }),
      'dmarc',
    )
    expect(found?.found[0]).toMatch(/^v=DMARC1; p=no\ufffdne\ufffd x+…$/)
    expect(found?.reason).not.toContain('\0')
    expect(found?.found[0]?.length).toBeLessThan(1_010)
  })
})

describe('stateOf', () => {
  const records = (
    changes: Partial<Record<RecordPurpose, Verdict>>,
    fallback: Verdict = 'ok',
  ): RecordVerdict[] =>
    uncheckedRecords(expectedRecords(domain)).map((record) => ({
      ...record,
      verdict: changes[record.purpose] ?? fallback,
    }))
  it.each<[string, Partial<Record<RecordPurpose, Verdict>>, boolean, string]>([
    ['everything right', {}, true, 'verified'],
    ['only comfort missing', { other: 'missing' }, true, 'verified'],
    ['weak DMARC', { dmarc: 'mismatch' }, true, 'degraded'],
    ['no SPF', { spf: 'missing' }, true, 'degraded'],
    ['no MX', { mx: 'missing' }, true, 'failing'],
    ['no key right', { dkim: 'mismatch' }, true, 'failing'],
    ['proof gone', { ownership: 'missing' }, true, 'failing'],
    ['MX not known', { mx: 'unknown', spf: 'missing' }, true, 'unknown'],
    ['SPF not known', { spf: 'unknown' }, true, 'unknown'],
    ['proof not there yet', { ownership: 'missing' }, false, 'pending'],
    ['proof not known', { ownership: 'unknown' }, false, 'unknown'],
  ])('%s', (_, changes, proven, state) => {
    expect(stateOf(records(changes), { proven, complete: true })).toBe(state)
  })

  it('is not failing while one of several keys is right', () => {
    const isKey = ({ purpose }: RecordVerdict) => purpose === 'dkim'
    const keys = (...verdicts: Verdict[]) =>
      verdicts.flatMap((verdict) => records({ dkim: verdict }).filter(isKey))
    const others = records({}).filter((record) => !isKey(record))
    const state = (...verdicts: Verdict[]) =>
      stateOf([...others, ...keys(...verdicts)], { proven: true, complete: true })
    expect(state('missing', 'mismatch')).toBe('failing')
    expect(state('missing', 'ok')).toBe('degraded')
    expect(state('unknown', 'ok')).toBe('unknown')
    expect(state()).toBe('verified')
  })

  it('is not verified while the mail server lacks something, and unchecked before the first check', () => {
    expect(stateOf(records({}), { proven: true, complete: false })).toBe('degraded')
    expect(stateOf(records({}, 'unchecked'), { proven: true, complete: true })).toBe('unchecked')
  })

  it('sees a regression in what was right and is wrong, not in what cannot be asked', () => {
    expect(
      regressions(records({}), records({ mx: 'mismatch', spf: 'unknown', other: 'missing' })).map(
        ({ purpose }) => purpose,
      ),
    ).toEqual(['mx'])
    expect(regressions(records({ mx: 'missing' }), records({ mx: 'missing' }))).toEqual([])
  })

  it('sees none in a record that is wrong because something else is expected of it now', () => {
    const stricter = records({ dmarc: 'mismatch' }).map((record) =>
      record.purpose === 'dmarc'
        ? { ...record, value: record.value.replace('p=none', 'p=reject') }
        : record,
    )
    expect(stricter.filter(({ value }) => value.includes('p=reject'))).toHaveLength(1)
    expect(regressions(records({}), stricter)).toEqual([])
    expect(
      regressions(records({}), records({ dmarc: 'mismatch' })).map(({ purpose }) => purpose),
    ).toEqual(['dmarc'])
  })

  it('keeps verdicts of records that are still asked for', () => {
    const [kept, changed] = withVerdicts(
      [
        { type: 'TXT', name: 'a', value: '1', purpose: 'other', required: false },
        { type: 'TXT', name: 'b', value: '2', purpose: 'other', required: false },
      ],
      [
        {
          type: 'TXT',
          name: 'a',
          value: '1',
          purpose: 'other',
          required: false,
          verdict: 'ok',
          found: ['1'],
          reason: null,
        },
        {
          type: 'TXT',
          name: 'b',
          value: 'before',
          purpose: 'other',
          required: false,
          verdict: 'ok',
          found: ['before'],
          reason: null,
        },
      ],
    )
    expect([kept?.verdict, changed?.verdict]).toEqual(['ok', 'unchecked'])
  })
})

it('checks again soon while someone waits, and daily when everything is fine', () => {
  const after = (
    state: 'verified' | 'pending' | 'failing' | 'unknown',
    proven: boolean,
    ageHours: number,
    complete = true,
  ) => secondsUntilNextCheck({ state, proven, complete, ageSeconds: ageHours * 3600 }) / 60
  expect([
    after('pending', false, 1),
    after('pending', false, 25),
    after('verified', true, 1),
    after('failing', true, 500),
  ]).toEqual([10, 1440, 1440, 60])
  expect([
    after('pending', false, 24),
    after('pending', false, 1, false),
    after('verified', true, 500, false),
  ]).toEqual([1440, 10, 10])
  expect([
    after('unknown', true, 500),
    after('pending', false, 0.1, false),
    after('pending', false, 5, false),
  ]).toEqual([10, 1, 10])
})

it('writes zone text with pieces of at most 255 bytes', () => {
  const long = `v=DKIM1; p=${'A'.repeat(400)}`
  const zone = zoneText([
    { name: 'x._domainkey.acme.example', type: 'TXT', value: long },
    { name, type: 'MX', value: '10 mail.host.example' },
    { name, type: 'TXT', value: 'a "quoted" \\ text' },
    { name, type: 'TXT', value: 'ü'.repeat(200) },
  ])
  const [key, mx, quoted, wide] = zone.trim().split('\n')
  const texts = [...(key ?? '').matchAll(/"([^"]*)"/g)].map(([, text]) => text ?? '')
  expect(texts.join('')).toBe(long)
  expect(Math.max(...texts.map((text) => text.length))).toBe(255)
  expect(mx).toBe('acme.example. IN MX 10 mail.host.example.')
  expect(quoted).toBe('acme.example. IN TXT "a \\"quoted\\" \\\\ text"')
  expect(
    Math.max(
      ...[...(wide ?? '').matchAll(/"([^"]*)"/g)].map(([, text]) => Buffer.byteLength(text ?? '')),
    ),
  ).toBeLessThanOrEqual(255)
})
