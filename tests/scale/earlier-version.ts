import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const migrations = 'packages/db/src/migrations'

/** A state of the program in its own history. */
export interface VersionBefore {
  /** The migrations that came in right after it, of those that were asked about. */
  readonly migrations: readonly string[]
  readonly commit: string
}

/** The API of an earlier version, installed and built in a folder that goes when it is disposed. */
export interface BuiltVersion extends AsyncDisposable {
  /** To be started with Node. */
  readonly entry: string
  /** The newest migration that it knows. */
  readonly schema: string
}

/**
 * The program as it was before each of these migrations, given in the order in which they are
 * applied; newest first, each version once, at most `most`. A migration that is not committed came
 * after everything that is. Returns the reason where the history does not say.
 */
export async function versionsBefore(
  names: readonly string[],
  most: number,
): Promise<readonly VersionBefore[] | { missing: string }> {
  const shallow = await git('rev-parse', '--is-shallow-repository').catch(() => undefined)
  if (shallow === undefined) return { missing: 'this is no checkout with a history' }
  if (shallow !== 'false') return { missing: 'the history was cut off' }
  const found = new Map<string, string[]>()
  for (const name of names.toReversed()) {
    const added = await git(
      'log',
      '--diff-filter=A',
      '--format=%H',
      '-1',
      '--',
      `${migrations}/${name}.ts`,
    )
    const commit = await git(
      'rev-parse',
      '--verify',
      '--quiet',
      added === '' ? 'HEAD' : `${added}^`,
    ).catch(() => undefined)
    if (commit === undefined) break
    if (found.size === most && !found.has(commit)) break
    found.set(commit, [name, ...(found.get(commit) ?? [])])
  }
  return [...found].map(([commit, ofCommit]) => ({ commit, migrations: ofCommit }))
}

/** Names of the migrations that a version knows, in the order in which they are applied. */
export async function migrationsOf(commit: string): Promise<string[]> {
  const names = await git('ls-tree', '--name-only', commit, `${migrations}/`)
  return names
    .split('\n')
    .flatMap((path) => /(\d{4}-[a-z-]+)\.ts$/.exec(path)?.[1] ?? [])
    .toSorted()
}

/**
 * Installs and builds a version as its own lock file and configuration say; most packages are in
 * the store already.
 */
export async function buildVersion(commit: string): Promise<BuiltVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-version-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await git('clone', '--quiet', '--shared', '--no-checkout', root, folder)
    await git('-C', folder, 'checkout', '--quiet', '--detach', commit)
    const install = [
      'install',
      '--frozen-lockfile',
      '--prefer-offline',
      '--ignore-scripts',
      '--filter',
      '@atrium/api...',
    ]
    await run('npx', ['-y', 'pnpm@12', ...install], {
      cwd: folder,
      env: { ...process.env, CI: 'true' },
      maxBuffer: 2 ** 26,
    })
    const api = join(folder, 'apps/api')
    await run(join(api, 'node_modules/.bin/vite'), ['build'], {
      cwd: api,
      env: { ...process.env, NODE_ENV: 'production' },
      maxBuffer: 2 ** 26,
    })
    const schema = (await migrationsOf(commit)).at(-1)
    if (schema === undefined) throw new Error(`${commit} knows no migration`)
    return { entry: join(api, 'dist/main.js'), schema, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: root, maxBuffer: 2 ** 26 })).stdout.trim()
}
