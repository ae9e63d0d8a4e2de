import type { RecordVerdict } from '@atrium/core/domains'
import { describe, expect, it } from 'vitest'
import { hostPart, mxParts, progressWords, removalObstacles, sortRecords } from '../src/domains/records.ts'

const record = (purpose: RecordVerdict['purpose'], verdict: RecordVerdict['verdict'], required = true): RecordVerdict => ({
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
    const records = [record('other', 'ok'), record('dkim', 'ok'), record('ownership', 'ok'), record('dkim', 'missing')]
    expect(sortRecords(records).map(({ purpose, verdict }) => [purpose, verdict])).toEqual([
      ['ownership', 'ok'],
      ['dkim', 'ok'],
      ['dkim', 'missing'],
      ['other', 'ok'],
    ])
  })

  it('are named as providers want it: relative, @ for the domain, whole when elsewhere', () => {
    expect(['acme.test', '_dmarc.acme.test', 'mail.else.test', 'notacme.test'].map((name) => hostPart(name, 'acme.test'))).toEqual([
      '@',
      '_dmarc',
      'mail.else.test',
      'notacme.test',
    ])
  })

  it('count the needed ones only, and never an unreachable one as right', () => {
    expect(progressWords([record('mx', 'ok'), record('spf', 'unknown'), record('other', 'missing', false)])).toBe(
      '1 of 2 needed records are right',
    )
    expect(progressWords([record('mx', 'ok'), record('spf', 'ok')])).toBe('All 2 needed records are right')
    expect(progressWords([])).toBe('No records known yet')
  })

  it('take an MX apart and nothing else', () => {
    expect(mxParts({ type: 'MX', value: '10 mail.acme.test' })).toEqual({ preference: '10', host: 'mail.acme.test' })
    expect(mxParts({ type: 'TXT', value: '10 mail.acme.test' })).toBeUndefined()
  })
})

describe('removal of a domain', () => {
  it('is open when nothing uses it, and for the main one when it is the last', () => {
    expect(removalObstacles({ primary: false, usage: { accounts: 0, aliases: 0, lists: 0 } }, 1)).toEqual([])
    expect(removalObstacles({ primary: true, usage: null }, 0)).toEqual([])
  })

  it('says everything that is in the way, with counts', () => {
    expect(removalObstacles({ primary: true, usage: { accounts: 2, aliases: 1, lists: 3 } }, 1)).toEqual([
      'It is the main domain. Make another one the main domain first.',
      'It is still used by 2 mailboxes, one alias and 3 distribution lists. Move or remove them first.',
    ])
  })
})
