import { randomBytes } from 'node:crypto'
import { inFull } from '@atrium/testing/measurements'

/** A new address in its own network: what a botnet has plenty of. */
export function botAddress(): string {
  const group = () => randomBytes(2).toString('hex')
  return `2001:db8:${group()}:${group()}::1`
}

/** What only this run calls so. */
export const unique = () => randomBytes(5).toString('hex')

const minuteMs = 60_000

/**
 * An attack: `act` repeatedly, eight at once, as often as given in the everyday tests and for a
 * minute in full. Returns how often. An attacker continues whatever the response is.
 */
export async function attack(
  everyday: number,
  act: (n: number) => Promise<unknown>,
): Promise<number> {
  const until = Date.now() + minuteMs
  let tried = 0
  const goesOn = () => tried < everyday || (inFull && Date.now() < until)
  const one = async () => {
    while (goesOn()) await act(tried++)
  }
  await Promise.all(Array.from({ length: 8 }, one))
  return tried
}

/** Number of responses by status and code, such as `429 rate_limited`. */
export function createTally() {
  const counts = new Map<string, number>()
  return {
    add({ status, body }: { status: number; body?: { code?: string } | undefined }) {
      const name = `${status}${body?.code ? ` ${body.code}` : ''}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
    },
    failed: () => [...counts].filter(([name]) => name.startsWith('5')).map(([name]) => name),
    text: () =>
      [...counts]
        .sort(([, one], [, other]) => other - one)
        .map(([name, count]) => `${count} × ${name}`)
        .join(', '),
  }
}
