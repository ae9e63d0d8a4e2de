import { describe, expect, it } from 'vitest'
import { checkVatNumber } from '../../src/billing/vat-numbers.ts'

const codesOf = (text: string, country: string | null) =>
  checkVatNumber(text, country).warnings.map(({ code }) => code)

describe('a VAT number', () => {
  it.each([null, '', '  ', '.-'])('is none when it is %j', (text) =>
    expect(checkVatNumber(text, 'DE')).toEqual({
      value: null,
      status: 'none',
      fault: null,
      warnings: [],
    }),
  )

  it.each([
    ['DE 136 695 976', null, 'DE136695976'],
    ['136695976', 'DE', 'DE136695976'],
    ['de136.695-976', 'DE', 'DE136695976'],
    ['EL094259216', 'GR', 'EL094259216'],
    ['094259216', 'GR', 'EL094259216'],
    ['XI434031494', 'GB', 'XI434031494'],
    ['434031494', 'GB', 'GB434031494'],
    ['FR40303265045', 'MC', 'FR40303265045'],
    ['U12345675', 'AT', 'ATU12345675'],
    ['CHE-116.281.710', 'CH', 'CHE116281710'],
    ['116281710', 'CH', 'CHE116281710'],
  ])('%s of %s is kept as %s', (text, country, value) =>
    expect(checkVatNumber(text, country)).toEqual({
      value,
      status: 'unverified',
      fault: null,
      warnings: [],
    }),
  )

  it.each([
    ['DE12', null, /format of a VAT number of DE/],
    ['DE13669597X', 'DE', /form/],
    ['GR094259216', 'GR', /EL/],
    ['136695976', null, /country/],
    ['US123456789', 'DE', /DE|form/],
    ['DE136695976!', 'DE', /letters and digits/],
    ['Ｄ１２３４５', 'DE', /letters and digits/],
    ['12', 'DE', /form/],
  ])('%s of %s is refused with the reason', (text, country, reason) => {
    const verdict = checkVatNumber(text, country)
    expect(verdict.status).toBe('format_invalid')
    expect(verdict.fault).toMatch(reason)
  })

  it('with wrong check digits is kept with a warning', () => {
    expect(checkVatNumber('DE123456789', 'DE')).toMatchObject({
      value: 'DE123456789',
      status: 'checksum_invalid',
      fault: null,
    })
    expect(codesOf('DE123456789', 'DE')).toEqual(['vat_checksum_invalid'])
    expect(codesOf('DE123456789', 'FR')).toEqual(['vat_checksum_invalid', 'vat_country_mismatch'])
  })

  it('of another country than the company is kept with a warning', () => {
    expect(checkVatNumber('DE136695976', 'FR')).toMatchObject({
      value: 'DE136695976',
      status: 'unverified',
    })
    expect(codesOf('DE136695976', 'FR')).toEqual(['vat_country_mismatch'])
    expect(codesOf('DE136695976', 'US')).toEqual(['vat_country_mismatch'])
  })

  it('of a country whose numbers are not known is kept unchecked', () => {
    expect(checkVatNumber('12-3456789', 'US')).toMatchObject({
      value: '123456789',
      status: 'unverified',
    })
    expect(codesOf('12-3456789', 'US')).toEqual(['vat_not_checked'])
    expect(codesOf('12345678000195', 'BR')).toEqual(['vat_not_checked'])
  })

  // One well-formed number of each member state, published by companies or made by the states'
  // rules.
  it.each(
    (
      'ATU12345675 BE0428759497 BG7523169263 CY10259033P CZ25123891 DE136695976 DK13585628 EE100931558 EL094259216 ESB58378431 ' +
      'FI20774740 FR40303265045 HR33392005961 HU12892312 IE6433435F IT00743110157 LT119511515 LU15027442 LV40003009497 MT11679112 ' +
      'NL004495445B01 PL8567346215 PT501964843 RO18547290 SE556188840401 SI50223054 SK2022749619'
    ).split(' '),
  )('%s passes', (text) =>
    expect(checkVatNumber(text, null)).toMatchObject({
      value: text,
      status: 'unverified',
      warnings: [],
    }),
  )
})
