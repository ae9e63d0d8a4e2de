import {
  euCountries,
  isEuCountry,
  missingForTax,
  type TaxSeller,
  taxTreatment,
} from '@atrium/core/billing/taxes'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const rates = Object.fromEntries(euCountries.map((country, index) => [country, 15 + (index % 12)]))
const german: TaxSeller = { country: 'DE', oss: true, rates: { ...rates, DE: 19, FR: 20, GR: 24 } }
const withoutOss: TaxSeller = { country: 'DE', oss: false, rates: { DE: 19 } }

const euCountry = fc.constantFrom(...euCountries)
const outside = fc.constantFrom('US', 'CH', 'GB', 'NO', 'JP', 'IM')
const anyNumber = fc.option(
  fc.constantFrom('FR40303265045', 'DE136695976', 'EL094259216', 'XI123456789', 'ATU13585627'),
)
const prefixOf = (country: string) => (country === 'GR' ? 'EL' : country)

describe('the treatment of a sale', () => {
  it.each([
    ['a consumer at home', german, 'DE', null, 'standard_rated', 'DE', 19],
    ['a business at home', german, 'DE', 'DE136695976', 'standard_rated', 'DE', 19],
    ['a business in France', german, 'FR', 'FR40303265045', 'reverse_charge', 'FR', 0],
    ['a business in Greece', german, 'GR', 'EL094259216', 'reverse_charge', 'GR', 0],
    ['a business in Monaco', german, 'MC', 'FR40303265045', 'reverse_charge', 'FR', 0],
    ['a consumer in France with OSS', german, 'FR', null, 'standard_rated', 'FR', 20],
    ['a consumer in France without OSS', withoutOss, 'FR', null, 'standard_rated', 'DE', 19],
    ['a number of another country', german, 'FR', 'ATU13585627', 'standard_rated', 'FR', 20],
    ['a number of Northern Ireland', german, 'GB', 'XI123456789', 'not_subject_to_tax', 'GB', 0],
    ['a buyer in Switzerland', german, 'CH', null, 'not_subject_to_tax', 'CH', 0],
  ] as const)('of %s', (_, seller, country, validVatNumber, reason, taxedIn, percent) => {
    expect(taxTreatment(seller, { country, validVatNumber })).toEqual({
      reason,
      country: taxedIn,
      percent,
    })
  })

  it('charges nothing beyond home from outside the Union', () => {
    const swiss: TaxSeller = { country: 'CH', oss: false, rates: { CH: 8.1 } }
    fc.assert(
      fc.property(euCountry, anyNumber, (country, validVatNumber) => {
        expect(taxTreatment(swiss, { country, validVatNumber }).reason).toBe('not_subject_to_tax')
      }),
    )
    expect(taxTreatment(swiss, { country: 'CH', validVatNumber: null }).percent).toBe(8.1)
  })

  it('charges nothing outside the Union, whatever number the buyer has', () => {
    fc.assert(
      fc.property(outside, anyNumber, (country, validVatNumber) => {
        expect(taxTreatment(german, { country, validVatNumber })).toMatchObject({
          reason: 'not_subject_to_tax',
          percent: 0,
        })
      }),
    )
  })

  it('reverses the charge in another EU country with a valid number of it, and only then', () => {
    fc.assert(
      fc.property(euCountry, euCountry, fc.boolean(), anyNumber, (home, country, oss, number) => {
        const seller = { country: home, oss, rates }
        const own = `${prefixOf(country)}123456789`
        expect(taxTreatment(seller, { country, validVatNumber: own }).reason).toBe(
          home === country ? 'standard_rated' : 'reverse_charge',
        )
        const { reason } = taxTreatment(seller, { country, validVatNumber: number })
        if (reason === 'reverse_charge') expect(number?.slice(0, 2)).toBe(prefixOf(country))
      }),
    )
  })

  it('charges a consumer the rate of exactly one country of the Union', () => {
    fc.assert(
      fc.property(euCountry, euCountry, fc.boolean(), (home, country, oss) => {
        const treatment = taxTreatment(
          { country: home, oss, rates },
          { country, validVatNumber: null },
        )
        expect(treatment.country).toBe(oss ? country : home)
        expect(treatment.percent).toBe(rates[treatment.country])
        expect(isEuCountry(treatment.country)).toBe(true)
      }),
    )
  })

  it('fails loudly for a rate that nobody declared', () => {
    const careless: TaxSeller = { country: 'DE', oss: true, rates: { DE: 19 } }
    expect(() => taxTreatment(careless, { country: 'FR', validVatNumber: null })).toThrow(
      RangeError,
    )
    expect(() =>
      taxTreatment(
        { ...careless, country: 'constructor' },
        { country: 'constructor', validVatNumber: null },
      ),
    ).toThrow(RangeError)
  })
})

describe('an address for Stripe Tax', () => {
  it.each([
    [null, null, null, 'country'],
    ['DE', null, null, null],
    ['US', null, 'CA', 'postalCode'],
    ['US', '9021', 'CA', 'postalCode'],
    ['US', '90210', null, null],
    ['US', '90210-1234', null, null],
    ['CA', null, null, 'postalCode'],
    ['CA', 'K1A 0B1', null, null],
    ['CA', null, 'ON', null],
  ] as const)(
    'in %s with postal code %s and state %s lacks: %s',
    (country, postalCode, state, field) => {
      expect(missingForTax({ country, postalCode, state })).toBe(field)
    },
  )
})
