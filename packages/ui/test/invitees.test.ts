import { describe, expect, it } from 'vitest'
import { inviteesIn, lineOf } from '../src/invitees.ts'
import { linesOfCsv } from '../src/invitees-csv.ts'

describe('the people in a pasted text', () => {
  it.each([
    ['one per line', 'a@one.example\nb@one.example\r\n'],
    ['with commas, semicolons and spaces', 'a@one.example,; b@one.example  A@one.example'],
    ['in angle brackets', '<a@one.example>, <b@one.example>'],
  ])('are read %s, each once', (_, text) => {
    expect(inviteesIn(text, 10)).toEqual({
      invitees: [{ email: 'a@one.example' }, { email: 'b@one.example' }],
    })
  })

  it('have the names that a mail program writes before addresses', () => {
    const text = 'Mira Lang <mira@one.example>; "Ben B." <Ben@one.example>\nx@one.example'
    expect(inviteesIn(text, 10)).toEqual({
      invitees: [
        { email: 'mira@one.example', name: 'Mira Lang' },
        { email: 'ben@one.example', name: 'Ben B.' },
        { email: 'x@one.example' },
      ],
    })
  })

  it.each([
    ['no address', ' ,\n', 'Enter at least one address.'],
    ['a word', 'a@one.example nobody', 'Not an e-mail address: nobody'],
    ['a name without a valid address', 'Mira <mira>', 'Not an e-mail address: Mira <mira>'],
    ['too many', 'a@one.example b@one.example', 'Enter at most 1 addresses.'],
  ])('are rejected with %s', (_, text, fault) => {
    expect(inviteesIn(text, 1)).toEqual({ fault })
  })
})

describe('the people of a CSV file', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)

  it('become lines that are read again with the same names', () => {
    const read = linesOfCsv(
      bytes('email;name;firstName;lastName\nm@one.example;"Lang, Mira";;\nb@one.example;;Ben;Bo\n'),
    )
    expect(read).toEqual({ text: 'Lang Mira <m@one.example>\nBen Bo <b@one.example>' })
    expect('text' in read && inviteesIn(read.text, 10)).toMatchObject({
      invitees: [
        { email: 'm@one.example', name: 'Lang Mira' },
        { email: 'b@one.example', name: 'Ben Bo' },
      ],
    })
  })

  it('are rejected without the column of addresses', () => {
    expect(linesOfCsv(bytes('who\nmira\n'))).toHaveProperty('fault')
  })

  it('are written without a name as the address alone', () => {
    expect(lineOf({ email: 'a@one.example', name: ' ' })).toBe('a@one.example')
  })
})
