/**
 * What is proven, by which files, and what counts as met. docs/reference/test-suites.md explains
 * how to run and read it.
 */
export interface Target {
  id: string
  suite: 'resilience' | 'security'
  title: string
  /** What has to be measured for it to count as reached. */
  reach: string
  /** Test files that measure it, from the root of the repository. */
  files: readonly string[]
}

/**
 * Files of the suites that walk every procedure, column, path or migration, and fail when a new one
 * is not declared. They run with `pnpm test`, because nothing else finds a missing declaration.
 */
export const walks: readonly string[] = [
  'tests/resilience/audit-losses.test.ts',
  'tests/resilience/carried-out.test.ts',
  'tests/resilience/kill-covered.test.ts',
  'tests/scale/migration-locks.test.ts',
  'tests/security/asvs.test.ts',
  'tests/security/browser-rules.test.ts',
  'tests/security/foreign-looks-absent.test.ts',
  'tests/security/inside-addresses.test.ts',
  'tests/security/mass-assignment.test.ts',
  'tests/security/stored-secrets.test.ts',
  'tests/security/unicode.test.ts',
]

export const targets: readonly Target[] = [
  {
    id: 'R1',
    suite: 'resilience',
    title: 'killed while provisioning, and in every other write that reaches outside',
    reach: '≥ 200 kills, no step lost, nothing doubled, active ≤ 20 s after the restart',
    files: [
      'tests/resilience/kill-provisioning.test.ts',
      'tests/resilience/kill-further.test.ts',
      'tests/resilience/kill-covered.test.ts',
      'apps/api/test/recovery.test.ts',
    ],
  },
  {
    id: 'R2',
    suite: 'resilience',
    title: 'killed while a booking is made, moved or cancelled',
    reach:
      '≥ 200 kills, no time booked twice, no acknowledged booking lost, no orphaned event, mails repeated only under their Message-ID',
    files: ['tests/resilience/kill-bookings.test.ts', 'apps/api/test/scheduling-crash.test.ts'],
  },
  {
    id: 'R3',
    suite: 'resilience',
    title: 'database killed under load',
    reach:
      '20 kills, the process lives, first success ≤ 2 s after it accepts, no acknowledged write lost, every job done; full pool and full disk refused with 503, whole',
    files: [
      'tests/resilience/database-killed.test.ts',
      'tests/resilience/database-strained.test.ts',
    ],
  },
  {
    id: 'R4',
    suite: 'resilience',
    title: 'outages of each upstream system',
    reach:
      '4 systems × ≥ 14 faults: the request stands, the step says error without secrets, others go on, ≤ deadline + 1 s, reconcile heals',
    files: ['tests/resilience/outages.test.ts', 'packages/integrations/test/fault-matrix.test.ts'],
  },
  {
    id: 'R5',
    suite: 'resilience',
    title: 'one upstream system hangs under load',
    reach: 'p99 of other endpoints ≤ 1.2×',
    files: ['tests/resilience/hanging-system.test.ts'],
  },
  {
    id: 'R6',
    suite: 'resilience',
    title: "the payment processor's events in every order, repeated, in parallel, killed between",
    reach: 'one final state, each effect once',
    files: [
      'tests/resilience/event-orders.test.ts',
      'apps/api/test/webhook-orders.test.ts',
      'apps/api/test/webhook-recovery.test.ts',
    ],
  },
  {
    id: 'R7',
    suite: 'resilience',
    title: 'one Idempotency-Key, 100 requests at once, every creating call',
    reach: 'one effect, one answer; another body refused',
    files: [
      'tests/resilience/idempotency-keys.test.ts',
      'tests/resilience/carried-out.test.ts',
      'apps/api/test/idempotency.test.ts',
    ],
  },
  {
    id: 'R8',
    suite: 'resilience',
    title: 'visitors race for one time, two processes',
    reach: '50 × 1,000: one winner each, no 5xx, no deadlock',
    files: ['tests/resilience/booking-race.test.ts', 'apps/api/test/scheduling-races.test.ts'],
  },
  {
    id: 'R9',
    suite: 'resilience',
    title: 'audit entries that cannot be written',
    reach:
      'every audited mutation succeeds, each loss counted and logged; without faults no mutation lacks its entry',
    files: ['tests/resilience/audit-losses.test.ts'],
  },
  {
    id: 'R10',
    suite: 'resilience',
    title: 'rolling restarts under load',
    reach: '20 restarts, 0 failed requests',
    files: ['tests/scale/rolling-restart.test.ts'],
  },
  {
    id: 'R11',
    suite: 'resilience',
    title: 'every migration under load, with a long transaction open',
    reach:
      '0 failed requests, p99 ≤ 3×, locks given up after ≤ 1 s, the version before runs on the new schema',
    files: [
      'tests/scale/live-migration.test.ts',
      'tests/scale/migration-locks.test.ts',
      'tests/scale/version-before.test.ts',
    ],
  },
  {
    id: 'R12',
    suite: 'resilience',
    title: 'backup, and restore to a point in time',
    reach: 'equal checksums, audit chain verified, loss ≤ 60 s, 1 GB ≤ 60 s',
    files: ['tests/operate/restore.test.ts'],
  },
  {
    id: 'R13',
    suite: 'resilience',
    title: 'standby promoted under writes',
    reach: '10 promotions, no acknowledged write lost, service back ≤ 5 s without a restart',
    files: ['tests/scale/promotion.test.ts'],
  },
  {
    id: 'R14',
    suite: 'resilience',
    title: 'soak',
    reach:
      '≥ 30 min and ≥ 5,000,000 requests: memory ≤ +1 MB per 10 min, handles and connections constant, event loop p99 ≤ 20 ms, no 5xx',
    files: ['tests/scale/soak.test.ts'],
  },
  {
    id: 'R15',
    suite: 'resilience',
    title: 'clocks: skew of 5 s, summer time, leap day, end of the year',
    reach: 'no wrong transition',
    files: ['tests/resilience/clocks.test.ts'],
  },
  {
    id: 'R16',
    suite: 'resilience',
    title: 'random commands against a model',
    reach: '2,000 × 30 commands, no difference',
    files: ['tests/resilience/model.test.ts'],
  },
  {
    id: 'R17',
    suite: 'resilience',
    title: 'what is due reaches every system',
    reach:
      '200 sequences of changes, outages and restarts: identity, mail and files equal the record in the end',
    files: ['tests/resilience/due-work.test.ts'],
  },
  {
    id: 'R18',
    suite: 'resilience',
    title: "the accountant's test: a year of money, recomputed from the processor's log",
    reach:
      'ledger, documents, reports, bookkeeping, mails, entitlements and balances agree cent by cent: 5 seeds × 30 customers, 1,000 × 300 with ACCOUNTS_SEEDS and ACCOUNTS_CUSTOMERS',
    files: ['tests/resilience/accounts.test.ts'],
  },
  {
    id: 'R19',
    suite: 'resilience',
    title: 'events of changes while processes are killed',
    reach:
      '1,000 kills: each committed change is delivered, no undone one, in order, beside an endpoint that never responds',
    files: ['tests/resilience/kill-events.test.ts'],
  },
  {
    id: 'S1',
    suite: 'security',
    title: 'authorization: every path and procedure × every actor × own and foreign tenant',
    reach: 'every route has a row, no deviation, foreign and absent look the same',
    files: ['tests/security/foreign-looks-absent.test.ts', 'apps/api/test/matrix.test.ts'],
  },
  {
    id: 'S2',
    suite: 'security',
    title: 'marked values of every tenant, 10,000 random requests',
    reach: 'no foreign value in bodies, headers, mails, logs, exports',
    files: ['tests/security/foreign-values.test.ts'],
  },
  {
    id: 'S3',
    suite: 'security',
    title: 'every stored field set from outside',
    reach: 'no unlisted field changes',
    files: ['tests/security/mass-assignment.test.ts'],
  },
  {
    id: 'S4',
    suite: 'security',
    title: 'forged and worn tokens',
    reach:
      '≥ 60 forgeries refused, good ones accepted, a new key seen ≤ 60 s, an unknown one asked for ≤ once in 30 s',
    files: [
      'tests/security/tokens.test.ts',
      'apps/api/test/tokens.test.ts',
      'apps/api/test/token-header-and-keys.test.ts',
    ],
  },
  {
    id: 'S5',
    suite: 'security',
    title: 'rights taken away',
    reach: 'the next request is refused',
    files: ['tests/security/revocation.test.ts'],
  },
  {
    id: 'S6',
    suite: 'security',
    title: 'forged payment events',
    reach: '≥ 40 refused, repeated ones 200 and without effect',
    files: ['tests/security/payment-events.test.ts'],
  },
  {
    id: 'S7',
    suite: 'security',
    title: 'addresses given by people that lead inside',
    reach: '≥ 60 addresses in every such field, no connection, the address pinned at connect',
    files: ['tests/security/inside-addresses.test.ts'],
  },
  {
    id: 'S8',
    suite: 'security',
    title: 'injection into .ics, mail, CSV, headers, profiles, JMAP, SQL, templates, log lines',
    reach: '10,000 values read back equal, properties counted, formulas neutral',
    files: [
      'tests/security/injection-calendar.test.ts',
      'tests/security/injection-mail.test.ts',
      'tests/security/injection-exports.test.ts',
      'tests/security/injection-templates.test.ts',
      'tests/security/injection-queries.test.ts',
    ],
  },
  {
    id: 'S9',
    suite: 'security',
    title: 'invented forwarding headers',
    reach:
      'one socket counts as one client, only addresses are stored, headers believed from configured proxies only',
    files: ['tests/security/forwarding-headers.test.ts'],
  },
  {
    id: 'S10',
    suite: 'security',
    title: 'rate limits: 200 at once at two processes, a million keys, store away',
    reach: 'exact (window), ≤ 64 MB, a local limit holds, Retry-After',
    files: [
      'tests/security/rate-limits.test.ts',
      'apps/api/test/rate-limit.test.ts',
      'apps/api/test/scheduling-limits.test.ts',
    ],
  },
  {
    id: 'S11',
    suite: 'security',
    title: 'size, depth, slowness',
    reach: '413, 431, 400 or 408; memory ≤ +20 MB',
    files: [
      'tests/security/size.test.ts',
      'tests/security/large-tokens.test.ts',
      'apps/api/test/bodies.test.ts',
    ],
  },
  {
    id: 'S12',
    suite: 'security',
    title:
      'Unicode: NUL, lone surrogates, bidirectional, combining, look-alikes, international domains',
    reach: 'no 5xx; stored as sent or refused',
    files: ['tests/security/unicode.test.ts'],
  },
  {
    id: 'S13',
    suite: 'security',
    title: 'random requests from the OpenAPI document to every path',
    reach:
      '≥ 100,000 requests: no 5xx, no answer outside the document, no SQL, stack or path in errors',
    files: ['tests/security/document-fuzz.test.ts', 'apps/api/test/fuzz.test.ts'],
  },
  {
    id: 'S14',
    suite: 'security',
    title: 'audit log changed by hand',
    reach: '≥ 25 statements as each account, parent and partitions: no row changed',
    files: ['tests/security/audit-append-only.test.ts'],
  },
  {
    id: 'S15',
    suite: 'security',
    title: 'stored secrets',
    reach:
      '100,000 rows rotated during reads: no read fails, no swapped row opens, no secret in logs',
    files: [
      'tests/security/stored-secrets.test.ts',
      'tests/security/secrets-shown.test.ts',
      'packages/db/test/platform/encryption.test.ts',
      'tests/operate/key-rotation.test.ts',
    ],
  },
  {
    id: 'S16',
    suite: 'security',
    title: 'temporary passwords',
    reach: '1,000,000 samples keep the rules, flat distribution',
    files: ['tests/security/passwords.test.ts'],
  },
  {
    id: 'S17',
    suite: 'security',
    title: 'sign-in: state, nonce, code, PKCE, redirect, fixation',
    reach: '≥ 30 cases, none accepted',
    files: ['tests/security/sign-in.test.ts', 'packages/bff/test/sign-in.test.ts'],
  },
  {
    id: 'S18',
    suite: 'security',
    title: 'refreshes at once: 50 requests, two processes, one-time refresh tokens',
    reach: '1,000 rounds: one refresh each, nobody signed out',
    files: ['tests/security/refresh-race.test.ts', 'packages/bff/test/refresh.test.ts'],
  },
  {
    id: 'S19',
    suite: 'security',
    title: 'headers of the pages, cookies, cross-site changes',
    reach:
      'CSP without unsafe-inline and unsafe-eval, __Host- cookies, own header and Origin checked on changes',
    files: ['tests/security/browser-rules.test.ts', 'packages/bff/test/pages.test.ts'],
  },
  {
    id: 'S20',
    suite: 'security',
    title: 'manage links',
    reach: '≥ 128 bit, stored hashed, useless elsewhere, they end',
    files: ['tests/security/manage-links.test.ts', 'apps/api/test/scheduling-manage.test.ts'],
  },
  {
    id: 'S21',
    suite: 'security',
    title: 'supply chain',
    reach:
      'no known high or critical advisory, install scripts denied, lock file frozen, bill of materials',
    files: ['tests/security/supply-chain.test.ts'],
  },
  {
    id: 'S22',
    suite: 'security',
    title: 'ASVS 5.0, level 2',
    reach: 'each requirement that applies has a test or a written reason',
    files: ['tests/security/asvs.test.ts'],
  },
  {
    id: 'S23',
    suite: 'security',
    title:
      'abuse: mail bomb, phishing relay, squatting, hold exhaustion, disk fill, event-loop stop',
    reach:
      'a minute of each leaves every budget of docs/reference/security.md kept, no 5xx, others answered',
    files: [
      'tests/security/abuse-mail-bomb.test.ts',
      'tests/security/abuse-phishing-relay.test.ts',
      'tests/security/abuse-squatting.test.ts',
      'tests/security/abuse-hold-exhaustion.test.ts',
      'tests/security/abuse-disk-fill.test.ts',
      'tests/security/abuse-event-loop.test.ts',
    ],
  },
  {
    id: 'S24',
    suite: 'security',
    title: 'what one request without a session costs',
    reach: 'memory at most as docs/reference/security.md says; processor is printed',
    files: ['tests/security/entry-costs.test.ts'],
  },
  {
    id: 'S25',
    suite: 'security',
    title: 'accounts prepared for other people (the six attacks of Sudhodanan and Paverd, 2022)',
    reach: 'each attack leaves no way in: password, session, token, second identifier',
    files: ['tests/security/pre-hijacking.test.ts', 'apps/api/test/pre-hijacking.test.ts'],
  },
  {
    id: 'S26',
    suite: 'security',
    title: 'mailed links, and what an invitation tells about an address',
    reach:
      '256 bit, used once, useless elsewhere, GET and HEAD change nothing; response, statements, calls and mail are the same for every address',
    files: ['tests/security/access-links.test.ts'],
  },
  {
    id: 'S27',
    suite: 'security',
    title: 'random histories of two tenants, a partner, an operator and an attacker',
    reach:
      '400 histories: nobody signs in as somebody else, no password that others know, links once, seats kept',
    files: ['apps/api/test/identity-model.test.ts'],
  },
]
