/** Code that is mutated together, and the tests that may kill its mutants. Globs from the root. */
export interface Group {
  mutate: readonly string[]
  tests: readonly string[]
  /** The tests need PostgreSQL: the cluster of `@atrium/testing`, started once per test process. */
  database?: true
}

const slots = '{schedules,scheduling,slot-availability,slot-explanation,slots,spans,time-zones}'

export const groups: Readonly<Record<string, Group>> = {
  core: {
    mutate: [
      'packages/core/src/**/*.ts',
      '!packages/core/src/billing/**',
      `!packages/core/src/scheduling/${slots}.ts`,
      // The demo workplace is data, and tests of the API render the mails.
      '!packages/core/src/demo/**',
      '!packages/core/src/{branding,scheduling}/*email*.ts',
    ],
    tests: ['packages/core/test/**/*.test.ts'],
  },
  money: {
    mutate: ['packages/core/src/billing/**/*.ts', '!packages/core/src/billing/billing-emails.ts'],
    tests: ['packages/core/test/billing/**/*.test.ts'],
  },
  slots: {
    mutate: [`packages/core/src/scheduling/${slots}.ts`],
    tests: ['packages/core/test/scheduling/*.test.ts'],
  },
  guards: {
    mutate: ['apps/api/src/rpc/{context,guards,own-servers,recent-sign-in,visitor-address}.ts'],
    tests: ['apps/api/test/{guards,recent-sign-in-age,visitor-address}.test.ts'],
    database: true,
  },
  sessions: {
    mutate: [
      'packages/bff/src/{auth-routes,cookies,proxy,return-to,same-origin,sessions,sign-in-transaction}.ts',
      'packages/bff/src/oidc/*.ts',
    ],
    tests: [
      'packages/bff/test/{cookies,return-to,same-origin,session-store,sign-in-transaction}.test.ts',
      'packages/bff/test/{logout,own-routes,proxy,recent-sign-in,refresh,sessions,sign-in}.test.ts',
    ],
    database: true,
  },
}
