/** Code that is mutated together, and the tests that may kill its mutants. Globs from the root. */
export interface Group {
  mutate: readonly string[]
  tests: readonly string[]
}

const money =
  '{billing,ledger,minor-units,money,payout-states,payouts,percentage,prices,proration,statements,subscription-life,subscriptions}'
const slots = '{schedules,scheduling,slot-availability,slot-explanation,slots,spans,time-zones}'

export const groups: Readonly<Record<string, Group>> = {
  core: {
    mutate: [
      'packages/core/src/**/*.ts',
      `!packages/core/src/**/${money}.ts`,
      `!packages/core/src/**/${slots}.ts`,
      // The demo workplace is data.
      '!packages/core/src/**/{demo,demo-history}.ts',
    ],
    tests: ['packages/core/test/**/*.test.ts'],
  },
  money: {
    mutate: [`packages/core/src/**/${money}.ts`],
    tests: ['packages/core/test/**/*.test.ts'],
  },
  slots: {
    mutate: [`packages/core/src/**/${slots}.ts`],
    tests: ['packages/core/test/**/*.test.ts'],
  },
}
