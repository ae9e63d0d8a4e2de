/**
 * Linux, macOS and Windows give outgoing connections ports from here on: what listens there is in
 * the way of them, and they of it.
 */
const firstOutgoingPort = 32_768
const furthest = 1_601

export const lowestBase = 1_024
export const highestBase = firstOutgoingPort - 1 - furthest

/** Every port of a local workplace by its name. */
export function portsOf(base: number) {
  return {
    api: base,
    portal: base + 100,
    operator: base + 200,
    booking: base + 300,
    postgres: base + 400,
    metrics: base + 500,
    control: base + 1_000,
    identity: base + 1_100,
    mail: base + 1_200,
    files: base + 1_300,
    payments: base + 1_400,
    vies: base + 1_410,
    smtp: base + 1_500,
    smtpPage: base + 1_501,
    dns: base + 1_600,
    dnsPage: base + furthest,
  }
}

/** Where the inspector of a server listens: 29 above the server, as 9229 is Node's own. */
export function inspectorOf(
  ports: ReturnType<typeof portsOf>,
  server: 'api' | 'portal' | 'operator' | 'booking' | 'sandbox',
): number {
  return ports[server === 'sandbox' ? 'control' : server] + 29
}

/** Why a base cannot be used, as one line; undefined for a usable one. */
export function baseFault(base: number): string | undefined {
  if (Number.isInteger(base) && base >= lowestBase && base <= highestBase) return undefined
  return (
    `ATRIUM_PORT_BASE must be a whole number from ${lowestBase} to ${highestBase}: a workplace takes ports up to ${furthest} above it, ` +
    `and from ${firstOutgoingPort} on the system gives ports to outgoing connections.`
  )
}

/**
 * A base whose ports are all free, for a workplace beside others; undefined where there is none.
 * Tried in steps of 2,000, more than a workplace spans, from one that is far from the default.
 */
export async function proposeBase(
  isFree: (port: number) => Promise<boolean>,
): Promise<number | undefined> {
  for (const base of [
    14_000, 16_000, 18_000, 20_000, 22_000, 24_000, 26_000, 28_000, 30_000, 12_000, 10_000, 8_000,
  ]) {
    const free = await Promise.all(Object.values(portsOf(base)).map(isFree))
    if (free.every(Boolean)) return base
  }
  return undefined
}
