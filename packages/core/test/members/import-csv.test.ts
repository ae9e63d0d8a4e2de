import { test as property } from '@fast-check/vitest'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readImport } from '../../src/members/import-csv.ts'
import { importColumns, importLimit } from '../../src/members/member-import.ts'

const rowsOf = (csv: string) => {
  const read = readImport(csv)
  if ('fault' in read) throw new Error(read.fault)
  return read.rows
}

describe('reading an import', () => {
  it('takes commas, or semicolons when the first line has those, any line ends, a byte order mark and empty lines', () => {
    const expected = [
      { line: 2, fields: { email: 'a', name: 'A' } },
      { line: 4, fields: { email: 'b', name: 'B' } },
    ]
    expect(rowsOf('email,name\na,A\n\nb,B')).toEqual(expected)
    expect(rowsOf('\ufeffEmail;NAME\r\na;A\r\n;\r\nb;B\r\n')).toEqual(expected)
    expect(rowsOf('\ufeff"email","name"\na,A\n\nb,B')).toEqual(expected)
  })

  it('takes line ends of a carriage return alone, and blanks around names and values', () => {
    expect(rowsOf('\ufeff email , name \r a , A \r , \rb,\t\r')).toEqual([
      { line: 2, fields: { email: 'a', name: 'A' } },
      { line: 4, fields: { email: 'b' } },
    ])
  })

  it('quotes the first 40 characters of an unknown column, without blanks around it', () => {
    expect(readImport(`email, ${'x'.repeat(50)}\na,b`)).toEqual({
      fault: expect.stringContaining(`“${'x'.repeat(40)}”`),
    })
  })

  it('takes quotes, separators and line breaks in quotes, and counts lines through them', () => {
    expect(rowsOf('email,name\n"a","A ""the"" B, C\nD"\nb,B\n')).toEqual([
      { line: 2, fields: { email: 'a', name: 'A "the" B, C\nD' } },
      { line: 4, fields: { email: 'b', name: 'B' } },
    ])
  })

  it('leaves empty cells and missing ends of rows out', () => {
    expect(rowsOf('email,name,role\na,,admin\nb')).toEqual([
      { line: 2, fields: { email: 'a', role: 'admin' } },
      { line: 3, fields: { email: 'b' } },
    ])
  })

  it.each([
    ['', 'no line with column names'],
    ['email\n', 'no row'],
    ['name\nx\n', 'email is missing'],
    ['email,email\nx,y\n', 'twice'],
    ['email,wage\nx,y\n', '“wage” is unknown'],
    ['email\nx,y\n', 'Line 2: there are 2 values for 1 column.'],
    ['email\na\n"x\ny', 'Line 3: a quote is opened and never closed'],
    ['email\r\n"x\r\n\r\ny\r\n', 'Line 2: a quote is opened'],
    ['email,name\na,b"c\n', 'Line 2: there is a quote in the middle'],
    ['email,name\na,"b"c\n', 'Line 2: there is text between'],
  ])('says what is wrong with %j', (csv, fault) => {
    expect(readImport(csv)).toEqual({ fault: expect.stringContaining(fault) })
  })

  it('has a limit of rows', () => {
    const rows = (count: number) =>
      `email\n${Array.from({ length: count }, (_, n) => `p${n}`).join('\n')}`
    expect(rowsOf(rows(importLimit))).toHaveLength(importLimit)
    expect(readImport(rows(importLimit + 1))).toEqual({
      fault: expect.stringContaining('2,001'),
    })
  })

  const cell = fc
    .string({ minLength: 1, maxLength: 20 })
    .map((text) => text.trim())
    .filter((text) => text !== '')

  property.prop([
    fc.array(fc.array(cell, { minLength: 7, maxLength: 7 }), { minLength: 1, maxLength: 10 }),
  ])('gives back whatever was written in quotes', (rows) => {
    const written = [importColumns, ...rows]
      .map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(','))
      .join('\r\n')
    expect(
      rowsOf(written).map(({ fields }) => importColumns.map((column) => fields[column])),
    ).toEqual(rows)
  })

  property.prop([fc.string({ maxLength: 300 })])(
    'ends with rows or a fault for any text',
    (text) => {
      const read = readImport(text)
      expect('fault' in read ? read.fault.length : read.rows.length).toBeGreaterThan(0)
    },
  )
})
