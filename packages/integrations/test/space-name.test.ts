import fc from 'fast-check'
import { expect, it } from 'vitest'
import { spaceName } from '../src/files/space-name.ts'

it.each([
  ['Acme', 'Acme'],
  ['Acme Inc.', 'Acme Inc'],
  ['acme.example', 'acme-example'],
  ['A/B: "C" <D>|E?', 'A-B- -C- -D-E'],
  ['  many \t\n spaces  ', 'many spaces'],
  ['...', 'acme'],
  ['', 'acme'],
  ['Zoë & Söhne', 'Zoë & Söhne'],
])('turns %j into %j', (name, expected) => {
  expect(spaceName(name, 'acme')).toBe(expected)
})

it('cuts long names between characters, not inside them', () => {
  const family = '👨‍👩‍👧‍👦'
  const cut = spaceName(family.repeat(40), 'acme')
  expect(cut).toBe(family.repeat(Math.floor(255 / Buffer.byteLength(family))))
})

it('always gives a name that the file storage takes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
      const made = spaceName(name, 'acme')
      expect(made).not.toBe('')
      expect(Buffer.byteLength(made)).toBeLessThanOrEqual(255)
      expect(made).not.toMatch(/[/\\.:?*"<>|\p{Cc}]/u)
      expect(made).toBe(made.trim())
      expect(spaceName(made, 'acme')).toBe(made)
    }),
  )
})
