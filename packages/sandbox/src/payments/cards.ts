/** What a test card does, by its number (docs.stripe.com/testing). */
export interface TestCard {
  readonly number: string
  readonly label: string
  readonly brand: string
  readonly funding: 'credit' | 'debit'
  readonly country: string
  /**
   * While it is entered: taken, asked to be confirmed by its holder, or the code with which it is
   * declined.
   */
  readonly setup: 'ok' | 'confirm' | { readonly declined: string }
  /** When an invoice is charged to it. */
  readonly charge: 'ok' | 'confirm' | { readonly declined: string }
}

const visa = { brand: 'visa', funding: 'credit', country: 'US' } as const

export const testCards: readonly TestCard[] = [
  { ...visa, number: '4242424242424242', label: 'Visa, works', setup: 'ok', charge: 'ok' },
  {
    ...visa,
    number: '5555555555554444',
    label: 'Mastercard, works',
    brand: 'mastercard',
    setup: 'ok',
    charge: 'ok',
  },
  {
    ...visa,
    number: '4000056655665556',
    label: 'Visa debit, works',
    funding: 'debit',
    setup: 'ok',
    charge: 'ok',
  },
  {
    ...visa,
    number: '4000000000000341',
    label: 'Visa, taken now and declined when it is charged',
    setup: 'ok',
    charge: { declined: 'generic_decline' },
  },
  {
    ...visa,
    number: '4000000000009995',
    label: 'Visa, declined: not enough money',
    setup: { declined: 'insufficient_funds' },
    charge: { declined: 'insufficient_funds' },
  },
  {
    ...visa,
    number: '4000000000000069',
    label: 'Visa, declined: expired',
    setup: { declined: 'expired_card' },
    charge: { declined: 'expired_card' },
  },
  {
    ...visa,
    number: '4000002500003155',
    label: 'Visa, to be confirmed once (3-D Secure)',
    setup: 'confirm',
    charge: 'ok',
  },
  {
    ...visa,
    number: '4000002760003184',
    label: 'Visa, to be confirmed for every payment (3-D Secure)',
    setup: 'confirm',
    charge: 'confirm',
  },
]

const tokens: Readonly<Record<string, string>> = {
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_visa_debit: '4000056655665556',
  pm_card_chargeCustomerFail: '4000000000000341',
  pm_card_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_chargeDeclinedExpiredCard: '4000000000000069',
  pm_card_authenticationRequiredOnSetup: '4000002500003155',
  pm_card_authenticationRequired: '4000002760003184',
}

/** By its number with or without spaces, or by the name of its test payment method. */
export function findCard(numberOrToken: string): TestCard | undefined {
  const number = tokens[numberOrToken] ?? numberOrToken.replace(/[\s-]/g, '')
  return testCards.find((card) => card.number === number)
}

/** The check digit of a card number (ISO/IEC 7812-1). */
export function passesLuhn(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
