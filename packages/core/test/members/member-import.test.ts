import { describe, expect, it } from 'vitest'
import { RemoveAppPassword } from '../../src/members/app-passwords.ts'
import { StartImport } from '../../src/members/member-import.ts'
import { zodIssues } from '../zod-issues.ts'

const slug = 'acme'

describe('the text of an import', () => {
  const issuesOf = (csv: string) => zodIssues(StartImport, { slug, csv, dryRun: true })

  it.each([
    'email,name\r\na,A\r\n',
    'email\tname\na\tA',
    '\ufeffemail\na\u200b\n',
    'email,name\na,Jürgen 山田',
  ])('may be %j', (csv) => {
    expect(issuesOf(csv)).toEqual([])
  })

  it.each(['email\na\u0000', 'email\n\u202ea', 'email\na\u001b[0m', 'email\n\ud800'])(
    'has no hidden characters: %j is rejected',
    (csv) => {
      expect(issuesOf(csv)).toEqual(['csv: Control and invisible characters are not allowed.'])
    },
  )

  it('has one character at least and 900,000 at most', () => {
    expect(issuesOf('')).toHaveLength(1)
    expect(issuesOf('x'.repeat(900_000))).toEqual([])
    expect(issuesOf('x'.repeat(900_001))).toHaveLength(1)
  })
})

describe('the id of an app password', () => {
  const userId = '01a1ffa0-915e-7644-aaf6-d11f66e35098'
  const accepts = (appPasswordId: string) =>
    RemoveAppPassword.safeParse({ slug, userId, appPasswordId }).success

  it.each(['a', '0', 'x9'.repeat(20)])('may be %s', (id) => {
    expect(accepts(id)).toBe(true)
  })

  it.each(['', 'A', 'a-b', '../a', ' a', 'a\n', 'a'.repeat(41)])('may not be %j', (id) => {
    expect(accepts(id)).toBe(false)
  })
})
