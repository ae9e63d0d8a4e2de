import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { ask, cores, startProcess } from '../measure/process.ts'
import { runRounds } from '../measure/slots.ts'
import type { Session } from '../session.ts'
import { attempted, type RowResult } from './result.ts'

const deliveriesPerSlot = 2_000

/**
 * P14e: how many events one process delivers a second. The receiver, in this process, accepts each
 * at once.
 */
export function measureDeliveries(session: Session, databaseUrl: string): Promise<RowResult> {
  return attempted(
    {
      row: 'P14e',
      what: 'backlog of events, deliveries/s',
      peer: 'clock',
      unit: 'per second',
      direction: 'at least',
      reach: 500,
      beyond: 1_000,
    },
    async () => {
      const receiver = createServer((request, response) => {
        request.resume().once('end', () => response.end())
      }).listen(0, '127.0.0.1')
      await once(receiver, 'listening')
      const sender = startProcess({
        file: join(import.meta.dirname, '../servers/deliveries.ts'),
        core: cores.server,
        env: {
          DATABASE_URL: databaseUrl,
          RECEIVER_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
        },
      })
      try {
        const contender = {
          name: 'ours',
          async measure() {
            const { ms } = await ask<{ ms: number }>(sender.child, { jobs: deliveriesPerSlot })
            return { callsPerSecond: (deliveriesPerSlot * 1000) / ms }
          },
        }
        await contender.measure()
        const { measured, failures } = await runRounds([contender], session)
        return {
          values: failures.has('ours')
            ? []
            : (measured.get('ours') ?? []).map(({ callsPerSecond }) => callsPerSecond),
          note:
            failures.get('ours') ??
            `${deliveriesPerSlot} deliveries to 20 endpoints of a tenant, signed and logged`,
        }
      } finally {
        await sender.stop()
        receiver.closeAllConnections()
        receiver.close()
      }
    },
  )
}
