import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** What this branch and the working tree change, against main. */
export interface Change {
  /** The commit that it is compared with. */
  base: string
  /** Files that are there, from the root of the repository. */
  files: readonly string[]
}

/** Throws where there is no branch `main`, here or at `origin`. */
export function readChange(root: string): Change {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter(Boolean)
  const main = ['main', 'origin/main'].find((name) => {
    try {
      return git('rev-parse', '--verify', '--quiet', name).length > 0
    } catch {
      return false
    }
  })
  if (!main) throw new Error('There is no branch main to compare with. Fetch it first.')
  const [base = main] = git('merge-base', 'HEAD', main)
  const files = [
    ...git('diff', '--name-only', base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
  return { base, files: [...new Set(files)].filter((file) => existsSync(join(root, file))) }
}

/**
 * Those of the tests that are named after a folder or file of the change, or part of it: a change
 * of `src/scheduling/slots.ts` selects `scheduling-offers.test.ts` and `slots.test.ts`. Tests of
 * the whole service import all of it, so its imports cannot tell which of them a change concerns.
 */
export function testsNamedAfter(files: readonly string[], tests: readonly string[]): string[] {
  const names = new Set(
    files
      .filter((file) => file.includes('/src/') && /\.tsx?$/.test(file))
      .flatMap((file) => {
        const inside = file.slice(file.indexOf('/src/') + '/src/'.length)
        return [...dirname(inside).split('/'), basename(inside).replace(/\.tsx?$/, '')]
      })
      .filter((name) => name !== '.')
      .map(singular),
  )
  return tests.filter((test) => {
    const [first = ''] = basename(test).split(/[-.]/)
    const whole = basename(test).replace(/\.test\.tsx?$/, '')
    return files.includes(test) || names.has(singular(first)) || names.has(singular(whole))
  })
}

const singular = (word: string) => word.replace(/s$/, '')
