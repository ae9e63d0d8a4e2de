import { expect, it } from 'vitest'
import { cardName } from '../src/billing/card-labels.ts'
import { factorsText } from '../src/mfa/status-meta.ts'

it('words from outside that every object inherits are shown as any other unknown word', () => {
  expect(cardName({ brand: 'constructor', displayBrand: null, last4: '4242' })).toBe(
    'Card ending in 4242',
  )
  expect(factorsText({ constructor: 2 } as never)).toBe('2 constructor')
})
