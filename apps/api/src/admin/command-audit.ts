import { hostname, userInfo } from 'node:os'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Services } from '../rpc/services.ts'

/**
 * Records what somebody did with a command on a server: no session names the person, so the entry
 * has the account and the machine that ran it.
 */
export async function recordCommand(
  { audit }: Pick<Services, 'audit'>,
  entry: AuditEntry,
): Promise<void> {
  const ran = { account: accountName(), machine: hostname() }
  const metadata = { ...entry.metadata, ...ran }
  await audit.recordSystem({ ...entry, source: 'command', metadata })
}

/** A container may run under a number that no account has. */
function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
