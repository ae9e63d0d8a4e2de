import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readChange, testsNamedAfter } from '../../.ci/changed.ts'

describe('the tests of a change', () => {
  const tests = [
    'apps/api/test/scheduling-offers.test.ts',
    'apps/api/test/slots.test.ts',
    'apps/api/test/domains.test.ts',
    'apps/api/test/domain-checks.test.ts',
    'packages/bff/test/sessions.test.ts',
  ]

  it.each([
    ['apps/api/src/scheduling/slots.ts', [tests[0], tests[1]]],
    ['apps/api/src/mail/domains/check.ts', [tests[2], tests[3]]],
    ['packages/bff/src/sessions.ts', [tests[4]]],
    ['apps/api/test/domains.test.ts', [tests[2]]],
    ['docs/reference/contract.md', []],
  ])('are named after a folder or file of it: %s', (file, named) => {
    expect(testsNamedAfter([file], tests)).toEqual(named)
  })
})

describe('a change', () => {
  it('is everything since main: committed, uncommitted and untracked files that are there', async () => {
    const root = await mkdtemp(join(tmpdir(), 'atrium-change-'))
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@atrium.test', ...args], {
        cwd: root,
        encoding: 'utf8',
      })
    const commit = () => {
      git('add', '.')
      git('commit', '-q', '-m', 'change')
    }
    try {
      git('init', '-q', '-b', 'main')
      await writeFile(join(root, 'kept.ts'), 'one')
      await writeFile(join(root, 'edited.ts'), 'one')
      await writeFile(join(root, 'removed.ts'), 'one')
      commit()
      const base = git('rev-parse', 'main').trim()
      git('checkout', '-q', '-b', 'branch')
      await writeFile(join(root, 'committed.ts'), 'one')
      await rm(join(root, 'removed.ts'))
      commit()
      await writeFile(join(root, 'edited.ts'), 'two')
      await writeFile(join(root, 'untracked.ts'), 'one')
      expect(readChange(root)).toEqual({
        base,
        files: ['committed.ts', 'edited.ts', 'untracked.ts'],
      })
    } finally {
      await rm(root, { recursive: true })
    }
  })

  it('has to have something to be compared with', async () => {
    const root = await mkdtemp(join(tmpdir(), 'atrium-change-'))
    try {
      execFileSync('git', ['init', '-q', '-b', 'other'], { cwd: root })
      expect(() => readChange(root)).toThrow(
        'There is no branch main to compare with. Fetch it first.',
      )
    } finally {
      await rm(root, { recursive: true })
    }
  })
})
