import { targets, walks } from '@atrium/tests/targets'
import { defineConfig } from 'vitest/config'
import { SlowFirst } from './.ci/slow-first.ts'

// `isolate: false`: files share no state, and to load everything again for each takes up to as long
// as its tests. No test replaces a module for that reason; what stands in for another part is
// handed in.

/**
 * Files that measure goals: in full also tests that run every day in other projects, as part of the
 * figure.
 */
const testFilesOf = (suite: 'resilience' | 'security') => {
  const files = targets.filter((target) => target.suite === suite).flatMap((target) => target.files)
  return [...new Set(files)].filter(
    (file) => process.env.ATRIUM_TEST_FORM === 'full' || file.startsWith('tests/'),
  )
}

/** Two workers share two cores with servers and a browser: one second is too little. */
const expectOptions = { poll: { timeout: 20_000 } }

export default defineConfig({
  test: {
    reporters: ['default'],
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/{core,integrations,messages,sandbox,setup,ui}/test/**/*.test.{ts,tsx}',
            'apps/{portal,operator,booking}/test/**/*.test.{ts,tsx}',
          ],
          setupFiles: ['packages/ui/test/messages.setup.ts'],
          isolate: false,
          // Many wait for a deadline, and property tests take their time on a machine that does
          // other things besides.
          maxWorkers: 3,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'integration',
          expect: expectOptions,
          include: ['packages/{db,bff}/test/**/*.test.ts', '{apps/api,dev}/test/**/*.test.ts'],
          globalSetup: [
            'packages/testing/src/postgres/cluster.ts',
            'packages/testing/src/built-api.ts',
          ],
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // Most of them wait for a server, a lease or a deadline most of the time.
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: 'walks',
          expect: expectOptions,
          include: [...walks],
          globalSetup: [
            'packages/testing/src/postgres/cluster.ts',
            'packages/testing/src/built-api.ts',
          ],
          // One test may call every procedure hundreds of times.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Runs beside the integration tests, with the same workers.
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: 'client',
          expect: expectOptions,
          include: ['packages/{client,cli}/test/**/*.test.ts'],
          globalSetup: [
            'packages/testing/src/postgres/cluster.ts',
            'packages/testing/src/packed-client.ts',
          ],
          isolate: false,
          // Processes of their own and compilers, beside everything else.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: 'resilience',
          include: testFilesOf('resilience'),
          globalSetup: [
            'packages/testing/src/postgres/cluster.ts',
            'packages/testing/src/built-api.ts',
          ],
          // In full a goal asks for hundreds of kills, each with a restart.
          testTimeout: process.env.ATRIUM_TEST_FORM === 'full' ? 7_200_000 : 300_000,
          hookTimeout: 180_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'security',
          include: testFilesOf('security'),
          globalSetup: [
            'packages/testing/src/postgres/cluster.ts',
            'packages/testing/src/built-api.ts',
          ],
          testTimeout: process.env.ATRIUM_TEST_FORM === 'full' ? 3_600_000 : 180_000,
          hookTimeout: 180_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'browser',
          expect: expectOptions,
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['e2e/workplace.ts'],
          // Files share the browser of their worker and the sessions of people who signed in.
          isolate: false,
          // Some walk through every page of an app in both colour schemes, on machines that do
          // other things besides.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // With two, a third of the processors' time is idle.
          maxWorkers: 3,
        },
      },
    ],
  },
})
