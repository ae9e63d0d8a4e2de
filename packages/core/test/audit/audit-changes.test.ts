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
      'avatar_url',
    ].map(fieldLabel),
  ).toEqual([
    'seats',
    'seat mode',
    'brand colour',
    'billing VAT number',
    'contact email',
    'avatar url',
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
  expect(changeQuery('10.5').amounts).toEqual([])
})

it('finds a field by the name that it is shown under, where that is another than its own', () => {
  expect(changeQuery('Second factor').fields).toEqual(['mfaMode": ['])
  expect(changeQuery('brand colour').fields).toEqual(['brandColor": ['])
  expect(changeQuery('a').fields).toEqual([])
})

it('writes words as they are written in JSON', () => {
  expect(changeQuery('say "hi"').words).toEqual(['say', '\\"hi\\"'])
})
