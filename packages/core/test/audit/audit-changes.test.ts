import { expect, it } from 'vitest'
import { changeQuery, fieldLabel } from '../../src/audit/audit-changes.ts'

it('names a field as people read it', () => {
  expect(
    [
      'seats',
      'seatMode',
      'brandColor',
      'billingInfo.vatNumber',
      'contactInfo.email',
      'billingInformation.email',
      'avatar_url',
      'picture__size',
    ].map(fieldLabel),
  ).toEqual([
    'seats',
    'seat mode',
    'brand colour',
    'billing VAT number',
    'contact email',
    'billing information email',
    'avatar url',
    'picture size',
  ])
})

it('looks for the words of what is shown, without arrows and the verb', () => {
  expect(changeQuery('changed seats 4 → 80')).toEqual({
    words: ['seats', '4', '80'],
    amounts: [],
    fields: [],
  })
  expect(changeQuery('plan starter->business').words).toEqual(['plan', 'starter', 'business'])
  expect(changeQuery('changed').words).toEqual(['changed'])
  expect(changeQuery('→').words).toEqual(['→'])
})

it('looks for amounts as they are kept, in minor units, and for the text as it is', () => {
  expect(changeQuery('€1,234.50')).toMatchObject({ words: ['€1,234.50'], amounts: ['123450'] })
  expect(changeQuery('price 8,50€')).toMatchObject({
    words: ['price', '8,50€'],
    amounts: ['price', '850'],
  })
  expect(changeQuery('123,50').amounts).toEqual(['12350'])
  expect(changeQuery('1234,50').amounts).toEqual(['123450'])
  expect(changeQuery("1'234'567.50").amounts).toEqual(['123456750'])
  for (const text of ['10.5', '10.505', '1,2,50', '.50', 'A8,50', '8,50A'])
    expect(changeQuery(text).amounts, text).toEqual([])
})

it('finds a field by the name that it is shown under, where that is another than its own', () => {
  expect(changeQuery('Second factor').fields).toEqual(['mfaMode": ['])
  expect(changeQuery(' Brand colour ').fields).toEqual(['brandColor": ['])
  for (const text of ['a', 'in', 'f p']) expect(changeQuery(text).fields, text).toEqual([])
})

it('writes words as they are written in JSON', () => {
  expect(changeQuery('say "hi"').words).toEqual(['say', '\\"hi\\"'])
})
