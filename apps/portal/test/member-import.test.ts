import { type ImportView, importColumns } from '@atrium/core/members/member-import'
import { NewMember } from '@atrium/core/members/members'
import { decodeCsv } from '@atrium/ui/csv-text'
import { withoutBlanks } from '@atrium/ui/zod-form'
import { describe, expect, it } from 'vitest'
import { templateCsv, toCsv } from '../src/members/csv-file.ts'
import { countsText, progressOf } from '../src/members/import-status-meta.ts'

describe('the text of a CSV file', () => {
  const text = 'email,name\r\njörg,Jörg Müller\r\n'
  const bytes = (values: Iterable<number>) => Uint8Array.from(values)

  it('is read in the encodings that spreadsheets write', () => {
    const utf8 = new TextEncoder().encode(text)
    expect(decodeCsv(utf8)).toBe(text)
    expect(decodeCsv(bytes([0xef, 0xbb, 0xbf, ...utf8]))).toBe(text)
    expect(
      decodeCsv(
        bytes([
          0xff,
          0xfe,
          ...new Uint8Array(Uint16Array.from(text, (char) => char.charCodeAt(0)).buffer),
        ]),
      ),
    ).toBe(text)
    expect(
      decodeCsv(bytes([0xfe, 0xff, ...[...text].flatMap((char) => [0, char.charCodeAt(0)])])),
    ).toBe(text)
    expect(decodeCsv(bytes([...text].map((char) => char.charCodeAt(0))))).toBe(text)
  })
})

describe('the template', () => {
  it('has every column, and rows that the API takes', () => {
    const [header, ...rows] = templateCsv('acme.test').trimEnd().split('\r\n')
    expect(header?.split(',')).toEqual([...importColumns])
    expect(rows).toHaveLength(2)
    for (const row of rows) {
      const cells = row.split(',')
      const fields = Object.fromEntries(
        importColumns.map((column, at) => [column, cells[at] ?? '']),
      )
      expect(NewMember.safeParse(withoutBlanks(fields)).error).toBeUndefined()
    }
  })

  it('quotes what would otherwise break a row', () => {
    expect(toCsv(['a', 'b'], [['x,y', 'say "hi"\nthere']])).toBe(
      'a,b\r\n"x,y","say ""hi""\nthere"\r\n',
    )
  })
})

describe('how far an import is', () => {
  const counts: ImportView['counts'] = {
    total: 10,
    ready: 4,
    running: 1,
    created: 2,
    invited: 1,
    incomplete: 1,
    refused: 1,
  }

  it('counts the rows that need no more work', () => {
    expect(progressOf(counts)).toBe(0.5)
    expect(progressOf({ ...counts, total: 0 })).toBe(1)
  })

  it('is told in words, without what there is none of', () => {
    expect(countsText(counts, false)).toBe(
      '4 waiting, 1 being added, 2 added, 1 invited, 1 added but incomplete, 1 rejected.',
    )
    expect(
      countsText(
        { total: 2, ready: 2, running: 0, created: 0, invited: 0, incomplete: 0, refused: 0 },
        true,
      ),
    ).toBe('2 can be added.')
    expect(
      countsText(
        { total: 0, ready: 0, running: 0, created: 0, invited: 0, incomplete: 0, refused: 0 },
        true,
      ),
    ).toBe('There are no rows.')
  })
})
