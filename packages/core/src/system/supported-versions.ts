/**
 * Versions of other systems that Atrium works with: the only list, from which the checks at start,
 * `identity-setup.ts check` and `atrium doctor` read, and with which
 * docs/reference/supported-versions.md and the pinned images are compared by a test.
 *
 * `oldest` is rejected below. `newest` is the newest one that was tried: a later one may work, and
 * is a warning. A shorter text means every version that begins with it.
 */
export const supportedVersions = {
  postgresql: { name: 'PostgreSQL', oldest: '16', newest: '18' },
  authentik: { name: 'authentik', oldest: '2026.2', newest: '2026.8' },
  stalwart: { name: 'Stalwart', oldest: '0.16.18', newest: '0.16' },
  opencloud: { name: 'OpenCloud', oldest: '1.0', newest: '7.2' },
  pgbouncer: { name: 'PgBouncer', oldest: '1.21', newest: '1.26' },
  node: { name: 'Node.js', oldest: '26', newest: '26' },
} as const satisfies Record<string, { name: string; oldest: string; newest: string }>
export type SupportedSystem = keyof typeof supportedVersions

/** What a version is beside the supported ones; `unreadable` for a text without a number. */
export type VersionSupport = 'supported' | 'too_old' | 'untried' | 'unreadable'

/** Compares a version such as `18.4` or `v0.16.18` with the list. */
export function versionSupport(system: SupportedSystem, version: string): VersionSupport {
  const { oldest, newest } = supportedVersions[system]
  const numbers = numbersOf(version)
  if (numbers.length === 0) return 'unreadable'
  if (compare(numbers, numbersOf(oldest)) < 0) return 'too_old'
  const limit = numbersOf(newest)
  return compare(numbers.slice(0, limit.length), limit) > 0 ? 'untried' : 'supported'
}

function numbersOf(version: string): number[] {
  const [found = ''] = /\d+(\.\d+)*/.exec(version) ?? []
  return found === '' ? [] : found.split('.').map(Number)
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
