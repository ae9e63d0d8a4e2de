import type { ScaledProcess, ScaledTestApp } from './cluster.ts'
import { type Check, oneAtATime, sumOf, until } from './shared-state.ts'

const auditPath = '/tenants/acme/audit?limit=1'

/**
 * Reports and audit searches with a standby behind the primary: in step, behind, and gone. The
 * standby does not live through this.
 */
export async function checkReplica(scaled: ScaledTestApp): Promise<Check[]> {
  const writer = await createWriter(scaled)
  return oneAtATime(
    [checkInStep, checkBehind, checkGone].map((check) => () => check(scaled, writer)),
  )
}

interface Writer {
  /**
   * A write through one process; then the newest audit entry and a report through another. Returns
   * whether both were right.
   */
  writeAndRead(n: number): Promise<'seen' | 'stale' | 'failed'>
}

async function createWriter(scaled: ScaledTestApp): Promise<Writer> {
  const operator = await scaled.testApp.token('operator@atrium.test')
  let serial = 0
  const at = (n: number): { to?: ScaledProcess } => {
    const process = scaled.processes[n % scaled.processes.length]
    return process ? { to: process } : {}
  }
  return {
    async writeAndRead(n) {
      const requestId = `scale-write-${serial++}`
      const written = await scaled.send('PATCH', '/tenants/acme', {
        token: operator,
        body: { industry: `Industry ${serial}` },
        headers: { 'x-request-id': requestId },
        ...at(n),
      })
      const [audit, report] = await Promise.all([
        scaled.send('GET', auditPath, { token: operator, ...at(n + 1) }),
        scaled.send('GET', '/reports/mrr', { token: operator, ...at(n + 1) }),
      ])
      if (written.status !== 200 || audit.status !== 200 || report.status !== 200) return 'failed'
      return audit.body.items[0]?.metadata?.requestId === requestId ? 'seen' : 'stale'
    },
  }
}

async function tally(writer: Writer, rounds: number) {
  const counts = { seen: 0, stale: 0, failed: 0 }
  for (let n = 0; n < rounds; n++) counts[await writer.writeAndRead(n)]++
  return counts
}

async function readsBy(
  scaled: ScaledTestApp,
): Promise<Record<'replica' | 'behind' | 'unreachable', number>> {
  const texts = await Promise.all(scaled.processes.map((process) => process.metrics()))
  const sum = (where: string) =>
    texts.reduce(
      (all, text) => all + sumOf(text, 'database_replica_reads_total', `where="${where}"`),
      0,
    )
  return { replica: sum('replica'), behind: sum('behind'), unreachable: sum('unreachable') }
}

async function checkInStep(scaled: ScaledTestApp, writer: Writer): Promise<Check> {
  const before = await readsBy(scaled)
  const counts = await tally(writer, 100)
  const after = await readsBy(scaled)
  const onReplica = after.replica - before.replica
  const elsewhere = after.behind - before.behind + after.unreachable - before.unreachable
  return {
    what: 'a write through one process is seen by audit search through another at once, read from the standby',
    measured: `100 writes, ${counts.stale} read stale, ${counts.failed} failed; ${onReplica} reads on the standby, ${elsewhere} on the primary`,
    holds: counts.seen === 100 && onReplica > elsewhere,
  }
}

async function checkBehind(scaled: ScaledTestApp, writer: Writer): Promise<Check> {
  const { database } = scaled
  const { standby } = database
  if (!standby) return { what: 'standby behind', measured: 'there is no standby', holds: null }
  const before = await readsBy(scaled)
  await database.ask(standby, 'select pg_wal_replay_pause()')
  const counts = await tally(writer, 20)
  await database.ask(standby, 'select pg_wal_replay_resume()')
  const after = await readsBy(scaled)
  // Once it has caught up it is read from again.
  await until(async () => {
    await writer.writeAndRead(0)
    return (await readsBy(scaled)).replica > after.replica
  }, 20_000)
  return {
    what: 'the same while the standby replays nothing',
    measured: `20 writes, ${counts.stale} read stale, ${counts.failed} failed; ${after.behind - before.behind} reads went to the primary instead`,
    holds: counts.seen === 20 && after.behind > before.behind,
  }
}

async function checkGone(scaled: ScaledTestApp, writer: Writer): Promise<Check> {
  await scaled.database.standby?.server.kill()
  const counts = await tally(writer, 20)
  const { unreachable } = await readsBy(scaled)
  return {
    what: 'the same after the standby was killed',
    measured: `20 writes, ${counts.stale} read stale, ${counts.failed} failed; ${unreachable} reads went to the primary instead`,
    holds: counts.seen === 20 && unreachable > 0,
  }
}
