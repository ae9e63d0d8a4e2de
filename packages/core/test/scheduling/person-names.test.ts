import { describe, expect, it } from 'vitest'
import { holdsLink, visitorName } from '../../src/scheduling/person-names.ts'

describe('a name from outside', () => {
  it.each([
    'https://evil.example.com',
    'Anna http://x',
    'Pay at www.evil',
    'evil.com',
    'Anna (evil.com)',
    'evil.com/pay?now',
    'Your bank: login.bank.co.uk',
    'call me@evil.com',
    'bücher.de',
    'x.com:8080',
  ])('%j holds a link', (name) => {
    expect(holdsLink(name)).toBe(true)
    expect(visitorName(200).safeParse(name).success).toBe(false)
  })
  it.each([
    'Anna B. Smith',
    'J.R.R. Tolkien',
    'Dr.med Anna Berg',
    'St.John',
    'Müller-Lüdenscheidt, Karl',
    "O'Neil",
    'علی\u200cرضا',
    'Anna 2.0',
  ])('%j holds none', (name) => expect(visitorName(200).parse(name)).toBe(name))
})
