import { html, type Markup } from '../page.ts'
import { testCards } from './cards.ts'

/** The number as people read it, in groups of four. */
export function grouped(number: string): string {
  return number.replace(/(.{4})(?=.)/g, '$1 ')
}

/** An amount in minor units with its currency, for people of the sandbox. */
export function money(minor: number, currency: string): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(minor / 100)
}

export function day(seconds: number | null): string {
  return seconds === null
    ? '–'
    : `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** A card form with the test cards below it, each a button that fills it in and sends it. */
export function cardForm(
  action: string,
  hidden: Readonly<Record<string, string>>,
  submit: string,
): Markup {
  const carried = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${action}">${carried}
<label for="number">Card number</label><input id="number" name="number" inputmode="numeric" autocomplete="cc-number" placeholder="4242 4242 4242 4242" required>
<label for="expiry">Expires (month/year)</label><input id="expiry" name="expiry" autocomplete="cc-exp" placeholder="12/34" pattern="[0-9]{1,2} ?/ ?[0-9]{2,4}" required>
<label for="cvc">Security code</label><input id="cvc" name="cvc" inputmode="numeric" autocomplete="cc-csc" placeholder="123" pattern="[0-9]{3,4}" required>
<div class="actions"><button>${submit}</button></div></form>
<h2>Test cards</h2><form method="post" action="${action}">${carried}${testCards.map(
    (card) =>
      html`<button class="plain person" name="number" value="${card.number}"><b>${grouped(card.number)}</b>${card.label}</button>`,
  )}</form>`
}

export interface CardEntry {
  readonly number: string
  readonly expiry: { readonly month: number; readonly year: number } | undefined
}

/**
 * What was entered, or why it cannot be a card. `now` in seconds. A test card's button sends its
 * number alone.
 */
export function readCard(form: FormData, now: number): CardEntry | { readonly problem: string } {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const number = text('number').replace(/[\s-]/g, '')
  if (text('expiry') === '') return { number, expiry: undefined }
  const [, month = '', year = ''] = /^(\d{1,2})\s*\/\s*(\d{2}|\d{4})$/.exec(text('expiry')) ?? []
  const expiry = {
    month: Number(month),
    year: year.length === 2 ? 2_000 + Number(year) : Number(year),
  }
  if (expiry.month < 1 || expiry.month > 12)
    return { problem: 'The month in which the card expires must be from 1 to 12.' }
  if (Date.UTC(expiry.year, expiry.month) / 1000 <= now) return { problem: 'The card has expired.' }
  return { number, expiry }
}
