import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/{core,integrations,sandbox,ui}/test/**/*.test.{ts,tsx}',
            'apps/{portal,operator,booking}/test/**/*.test.{ts,tsx}',
          ],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['packages/{db,bff}/test/**/*.test.ts', 'apps/api/test/**/*.test.ts'],
          globalSetup: ['packages/db/test/cluster.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // Most of them wait for a server, a lease or a deadline most of the time.
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['e2e/house.ts'],
          // Some walk through every page of an app in both colour schemes, on machines that do other things besides.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: 2,
        },
      },
    ],
  },
})
