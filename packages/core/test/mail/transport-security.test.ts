import * as transport from '@atrium/core/mail/transport-security'
import { describe, expect, it } from 'vitest'
import { inEnglish } from './check-texts.ts'

const compareMtaSts = (expected: string, published: readonly string[]) =>
  inEnglish(transport.compareMtaSts(expected, published))
const compareTlsReports = (expected: string, published: readonly string[]) =>
  inEnglish(transport.compareTlsReports(expected, published))

describe('the MTA-STS record', () => {
  const expected = 'v=STSv1; id=20260101'
  it.each([
    ['as asked for', [expected], 'ok'],
    ['with other spaces and a closing semicolon', [' v=STSv1;id=20260101;'], 'ok'],
    ['beside records of something else', ['v=spf1 -all', expected], 'ok'],
    ['that is not there', [], 'missing'],
    ['of another policy', ['v=STSv1; id=20250101'], 'mismatch'],
    ['without an id', ['v=STSv1'], 'mismatch'],
    ['of another version', ['v=STSv2; id=20260101'], 'mismatch'],
    ['whose version is not first', ['id=20260101; v=STSv1'], 'mismatch'],
    ['twice, which senders ignore', [expected, expected], 'mismatch'],
    ['that cannot be read', ['v=STSv1; 20260101'], 'mismatch'],
  ])('%s is judged by its id', (_name, published, verdict) => {
    const judged = compareMtaSts(expected, published)
    expect(judged.verdict).toBe(verdict)
    expect(judged.reason === null).toBe(verdict !== 'mismatch')
  })

  it('that is there several times is told with their number', () => {
    expect(compareMtaSts(expected, [expected, expected, expected]).reason).toContain('3')
  })
})

describe('the record for TLS reports', () => {
  const expected = 'v=TLSRPTv1; rua=mailto:tls@acme.example'
  it.each([
    ['as asked for', [expected], 'ok', null],
    [
      'with another address is fine, and says which',
      ['v=TLSRPTv1; rua=mailto:other@acme.example'],
      'ok',
      'mailto:other@acme.example',
    ],
    ['that is not there', [], 'missing', null],
    ['without an address', ['v=TLSRPTv1'], 'mismatch', 'address'],
    ['with an empty address', ['v=TLSRPTv1; rua='], 'mismatch', 'address'],
    ['of another version', ['v=TLSRPTv2; rua=mailto:tls@acme.example'], 'mismatch', 'TLSRPTv1'],
    ['twice', [expected, expected], 'mismatch', '2'],
  ])('%s', (_name, published, verdict, reason) => {
    const judged = compareTlsReports(expected, published)
    expect(judged.verdict).toBe(verdict)
    if (reason === null) expect(judged.reason).toBeNull()
    else expect(judged.reason).toContain(reason)
  })
})
