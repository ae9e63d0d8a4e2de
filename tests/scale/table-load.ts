import pg from 'pg'

/** Reads and writes of the service, without a pause, on tables that are being changed. */
export interface TableLoad {
  /** Milliseconds of every statement since the last `mark`. */
  readonly times: number[]
  /** Statements that failed, one sentence each. */
  readonly failed: readonly string[]
  /** Restarts the count and returns the previous one. */
  mark(): number[]
  stop(): Promise<void>
}

interface Statement {
  text: string
  /**
   * Prepared once per connection and used again after the table has changed, as the service does.
   */
  name?: string
  values: (n: number) => unknown[]
}

const slug = (n: number) => `tenant-${(n % 5000) + 1}`
/**
 * From `packages/db/src`: what a request reads by key, what it writes, and the audit entry of it.
 */
const statements: readonly (Statement & { needs: string })[] = [
  {
    needs: 'tenants',
    name: 'tenant_by_slug',
    text: 'select id, slug, name, status, plan, partner_id, seats, industry, created_at, updated_at from tenants where slug = $1',
    values: (n) => [slug(n)],
  },
  {
    needs: 'tenants',
    text: 'update tenants set name = $2, updated_at = now() where slug = $1',
    values: (n) => [slug(n), `Tenant ${n}`],
  },
  {
    needs: 'users',
    name: 'caller',
    text: `select u.id, u.email, u.platform_admin, m.role from users u left join memberships m on m.user_id = u.id and m.status = 'active'
      where u.idp_subject_id = $1`,
    values: (n) => [`subject-${(n % 20_000) + 1}`],
  },
  {
    needs: 'users',
    text: 'update users set last_seen_at = now() where idp_subject_id = $1',
    values: (n) => [`subject-${(n % 20_000) + 1}`],
  },
  {
    needs: 'domains',
    text: 'select id, name, is_primary from domains where name = $1',
    values: (n) => [`${slug(n)}.tenants.test`],
  },
  {
    needs: 'partners',
    text: 'update partners set name = $2 where slug = $1',
    values: (n) => [`partner-${(n % 50) + 1}`, `Partner ${n}`],
  },
  {
    needs: 'provisioning_steps',
    text: `update provisioning_steps set changed_at = now() where step = 'mail' and tenant_id = (select id from tenants where slug = $1)`,
    values: (n) => [slug(n)],
  },
  {
    needs: 'audit_events',
    text: `insert into audit_events (at, actor_type, action, outcome, resource_type, tenant_slug, source) values (now(), 'user', 'tenant.updated',
      'success', 'tenant', $1, 'api')`,
    values: (n) => [slug(n)],
  },
  {
    needs: 'audit_events',
    text: 'select id, at, action from audit_events where tenant_slug = $1 order by at desc, id desc limit 20',
    values: (n) => [slug(n)],
  },
]

/** As the service's account; a statement fails that takes longer than `limitMs`. */
export function startTableLoad(
  url: string,
  tables: readonly string[],
  limitMs: number,
  connections = 4,
): TableLoad {
  const chosen: Statement[] = [
    ...statements.filter(({ needs }) => tables.includes(needs)),
    ...tables.map((table) => ({
      text: `select * from ${pg.escapeIdentifier(table)} limit 3`,
      values: () => [],
    })),
  ]
  const failed: string[] = []
  let times: number[] = []
  let stopped = false
  let turn = 0
  async function work(): Promise<void> {
    const client = new pg.Client({ connectionString: url, statement_timeout: limitMs })
    client.on('error', (error) => failed.push(error.message))
    await client.connect()
    while (!stopped) {
      const n = turn++
      const statement = chosen[n % chosen.length]
      if (!statement) break
      const began = performance.now()
      const { text, name, values } = statement
      await client
        .query({ text, values: values(n), ...(name === undefined ? {} : { name }) })
        .catch((error: Error) => failed.push(`${text.slice(0, 80)}: ${error.message}`))
      times.push(performance.now() - began)
    }
    await client.end()
  }
  const running = Array.from({ length: connections }, work)
  return {
    get times() {
      return times
    },
    failed,
    mark() {
      const counted = times
      times = []
      return counted
    },
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}
