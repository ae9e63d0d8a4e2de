import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sampleCount, sampleStep } from '../data.ts'
import { cores, findProgram, pinned } from '../measure/process.ts'
import type { Contender } from '../measure/slots.ts'
import type { Session } from '../session.ts'

const run = promisify(execFile)

function findPgbench(): string | undefined {
  return (
    findProgram('pgbench') ??
    globSync('/usr/lib/postgresql/*/bin/pgbench').toSorted().findLast(existsSync)
  )
}

/** A sentence when there is no pgbench; the npm PostgreSQL brings none. */
export function pgbenchMissing(): string | undefined {
  return findPgbench()
    ? undefined
    : 'pgbench is not installed here (Debian: postgresql-client, postgresql-contrib)'
}

/**
 * The given statements as one pgbench transaction, prepared, eight clients, for the same people and
 * tenants that the HTTP load asks for. `$1` is the caller's subject and `$2` the slug in a
 * statement with two parameters; a single `$1` is the slug.
 */
export async function pgbenchContender(
  session: Session,
  name: string,
  statements: readonly string[],
): Promise<Contender> {
  const pgbench = findPgbench()
  if (!pgbench) throw new Error('there is no pgbench')
  const file = join(session.folder, 'read.pgbench')
  const { population } = session
  await writeFile(
    file,
    `\\set n random(0, ${sampleCount(population) - 1}) * ${sampleStep(population)} + 1\n${statements.map(toScript).join('')}`,
  )
  const command = [...pinned(cores.generator), pgbench]
  const options = [
    '-n',
    '-M',
    'prepared',
    '-c',
    '8',
    '-j',
    '1',
    '-T',
    '2',
    '-f',
    file,
    session.accounts.appUrl,
  ]
  return {
    name,
    async measure() {
      const { stdout } = await run(command[0] ?? pgbench, [...command.slice(1), ...options])
      const perSecond = Number(/tps = ([\d.]+) \(without/.exec(stdout)?.[1])
      const failed = Number(/number of failed transactions: (\d+)/.exec(stdout)?.[1] ?? 0)
      if (!Number.isFinite(perSecond) || failed > 0)
        throw new Error(`pgbench did not finish its work: ${stdout.trim()}`)
      return { callsPerSecond: perSecond }
    },
  }
}

function toScript(text: string): string {
  const parameters = text.includes('$2')
    ? ["('bench-user-' || :n)", "('bench-tenant-' || :n)"]
    : ["('bench-tenant-' || :n)"]
  const filled = parameters.reduce(
    (sql, parameter, i) => sql.replaceAll(`$${i + 1}`, parameter),
    text,
  )
  return `${filled.replaceAll(/\s*\n\s*/g, ' ')};\n`
}
