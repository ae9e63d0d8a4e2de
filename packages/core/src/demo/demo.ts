/**
 * The people and organisations that a local workplace starts with. The sandbox creates the people
 * in its identity provider, the database seed creates the matching records; both read this list, so
 * the subjects agree. Never used in production.
 */
export const demoPassword = 'atrium'

export interface DemoPerson {
  readonly email: string
  readonly name: string
  /** The `sub` claim: 64 lower-case hex characters, as authentik's hashed user id. */
  readonly subject: string
  /** Names of the identity groups the person is in. */
  readonly groups: readonly string[]
}

export const demoPeople: readonly DemoPerson[] = [
  {
    email: 'operator@atrium.test',
    name: 'Olive Operator',
    subject: '832421dd1dd77ccddf6e94dbce60410ee7e7e772b17490b8c3638b9847bd9aa2',
    groups: ['platform-admins'],
  },
  {
    email: 'owner@acme.test',
    name: 'Anna Owner',
    subject: 'ec5de701d9588ce98370b0baf8be03342e266e73978c4dec3f3d6f85e882136c',
    groups: ['acme'],
  },
  {
    email: 'admin@acme.test',
    name: 'Adam Admin',
    subject: 'aa6a433193219cdda261bc37974b489ba1770e778c7fddf8dd0d29ec80507d40',
    groups: ['acme'],
  },
  {
    email: 'member@acme.test',
    name: 'Mira Member',
    subject: 'afc66ea07cee68698f0385c2e48e357a0001ae3bba0c22f3d76532b26d35fe2d',
    groups: ['acme'],
  },
  {
    email: 'owner@globex.test',
    name: 'Gero Owner',
    subject: 'fb4c430fecefafe4a0e4712285ba98ea2b8937b17a595dc9bf2b79161c401058',
    groups: ['globex'],
  },
  {
    email: 'partner@north.test',
    name: 'Pia Partner',
    subject: '12b687f10ab9038ed67b6755f332b90c2f46e3789c5f0480386f2ca3c5b2bedf',
    groups: ['partner-staff'],
  },
  {
    email: 'newcomer@example.test',
    name: 'Nico Newcomer',
    subject: '0f20937b835dfd3b617ff832edfa4a68b15aa095187317f894203856cc81fde4',
    groups: [],
  },
]

/** The tenants that a local workplace starts with. */
export const demoTenantSlugs = ['acme', 'globex'] as const

/**
 * The two OIDC applications of a local workplace. The audience of a token is its client id, as
 * authentik issues it.
 */
export const demoClients = {
  portal: { clientId: 'atrium-portal', clientSecret: 'portal-local-secret', slug: 'atrium-portal' },
  operator: {
    clientId: 'atrium-operator',
    clientSecret: 'operator-local-secret',
    slug: 'atrium-operator',
  },
} as const

/** The public OIDC application with which the command line signs people in, as setup makes it. */
export const commandLineClient = { clientId: 'atrium-cli', slug: 'atrium-cli' } as const

/** Credentials with which a local workplace's API reaches the sandbox. */
export const demoServiceCredentials = {
  stripeSecretKey: 'sk_test_sandboxlocaluse',
  stripePublishableKey: 'pk_test_sandboxlocaluse',
  stripeWebhookSecret: 'whsec_sandboxlocaluse',
  identityToken: 'sandbox-identity-token',
  /** A superuser's, for tests that look at what the service may not see. */
  identityAdminToken: 'sandbox-identity-admin-token',
  mailApiKey: 'API_c2FuZGJveC1tYWlsLWtleS1mb3ItbG9jYWwtdXNl',
  filesUser: 'atrium',
  filesAppToken: 'sandboxfilestokn',
  bookingAppSecret: 'local-secret-of-the-booking-app-only',
} as const

export interface DemoPrice {
  readonly plan: 'starter' | 'business' | 'enterprise'
  readonly cycle: 'month' | 'year'
  readonly currency: 'eur' | 'usd'
  /** Per seat and cycle, in minor units, without tax. */
  readonly unitAmount: number
  /** The id under which the sandbox's payment processor knows the price. */
  readonly stripePriceId: string
}

const demoSeatPrices = [
  { plan: 'starter', month: 400, year: 4_000 },
  { plan: 'business', month: 800, year: 8_000 },
  { plan: 'enterprise', month: 1_500, year: 15_000 },
] as const

/**
 * The price catalog that a local workplace starts with: each plan by month and year, in euros and
 * dollars.
 */
export const demoPrices: readonly DemoPrice[] = demoSeatPrices.flatMap((prices) =>
  (['month', 'year'] as const).flatMap((cycle) =>
    (['eur', 'usd'] as const).map((currency) => ({
      plan: prices.plan,
      cycle,
      currency,
      unitAmount: prices[cycle],
      stripePriceId: `price_demo_${prices.plan}_${cycle}_${currency}`,
    })),
  ),
)
