import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take long, longest first. Where no earlier run left its durations, as in a fresh
 * clone, Vitest takes the longest text for the longest test; these would come last and run alone.
 */
const slow: readonly string[] = [
  'apps/api/test/matrix.test.ts',
  'apps/api/test/webhook-orders.test.ts',
  'apps/api/test/recovery.test.ts',
  'apps/api/test/input.test.ts',
  'apps/api/test/webhook-recovery.test.ts',
  'apps/api/test/payout-orders.test.ts',
  'apps/api/test/provisioning.test.ts',
  'apps/api/test/scheduling-lifecycle.test.ts',
  'apps/api/test/scheduling-crash.test.ts',
  'packages/bff/test/server.test.ts',
  'e2e/api-reference.test.ts',
  'e2e/demo-history.test.ts',
  'e2e/members.test.ts',
  'e2e/flags.test.ts',
  'e2e/operator.test.ts',
  'e2e/partners.test.ts',
  'e2e/tenant-mail.test.ts',
  'e2e/tenant-rules.test.ts',
  'e2e/portal.test.ts',
  'e2e/subscriptions.test.ts',
  'e2e/system.test.ts',
  'tests/resilience/event-orders.test.ts',
  'tests/resilience/kill-provisioning.test.ts',
  'tests/resilience/kill-bookings.test.ts',
  'tests/security/revocation.test.ts',
  'tests/operate/key-rotation.test.ts',
  'tests/security/rate-limits.test.ts',
  'packages/integrations/test/mail-faults.test.ts',
]

/**
 * Starts the files that take long before all others of their project; and `walks` before the tests
 * that run beside it, because a worker serves one project and no file of it is short.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = new Map(slow.map((file, index) => [file, index]))
    const rankOf = ({ moduleId }: TestSpecification) =>
      rank.get(relative(this.ctx.config.root, moduleId)) ?? slow.length
    const sorted = await super.sort(files)
    const projects = Map.groupBy(sorted, ({ project }) => project.name)
    return [...projects]
      .toSorted(([a], [b]) => Number(b === 'walks') - Number(a === 'walks'))
      .flatMap(([, files]) => files.toSorted((a, b) => rankOf(a) - rankOf(b)))
  }
}
