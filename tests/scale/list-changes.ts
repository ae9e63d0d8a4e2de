import { percentile } from '@atrium/bench/measure/statistics'
import type { WorkplaceAddresses } from '@atrium/e2e/workplace'
import type pg from 'pg'
import type { Check } from './shared-state.ts'

const tenants = 1_000
const atOnce = 64
const mostShare = 0.05

/**
 * A thousand tenants change a list each, sixty-four at once over REST, while all sessions of the
 * database are looked at every few milliseconds: the share of busy looks that wait for an advisory
 * lock. Every list also sends to one address of another tenant, the same for all, as customers of
 * one partner do.
 */
export async function checkListChanges(
  { api, control }: WorkplaceAddresses,
  client: pg.Client,
): Promise<Check> {
  await client.query(
    `insert into mail_lists (tenant_id, address, name, state, mail_list_id)
      select id, 'team@' || slug || '.bench.test', 'Team', 'ok', slug from tenants
      where slug like 'bench-tenant-%' order by id limit $1`,
    [tenants],
  )
  const { rows: lists } = await client.query<{ id: string; slug: string }>(
    `select l.id, t.slug from mail_lists l join tenants t on t.id = l.tenant_id where l.name = 'Team' and t.slug like 'bench-tenant-%'`,
  )
  const { rows: shared } = await client.query<{ address: string }>(
    `select 'help@' || d.name as address from domains d join tenants t on t.id = d.tenant_id
      where t.slug = 'acme' and d.verified_at is not null limit 1`,
  )
  const recipients = ['team@elsewhere.example', shared[0]?.address ?? '']
  const token = await tokenOf(control, 'operator@atrium.test')
  const looks = { busy: 0, waiting: 0 }
  let over = false
  const watching = watch(client, looks, () => over)
  const took: number[] = []
  const failed: string[] = []
  const queue = [...lists]
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let list = queue.pop(); list; list = queue.pop()) {
        const began = performance.now()
        const response = await fetch(`${api}/tenants/${list.slug}/lists/${list.id}`, {
          method: 'PATCH',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ recipients }),
        })
        took.push(performance.now() - began)
        const text = await response.text()
        if (!response.ok) failed.push(`${response.status} ${text.slice(0, 200)}`)
      }
    }),
  )
  over = true
  await watching
  const share = looks.waiting / Math.max(1, looks.busy)
  return {
    what: `${tenants} tenants change lists, ${atOnce} at once: time lost in advisory locks at most ${mostShare * 100} %`,
    measured: `${(share * 100).toFixed(1)} % of ${looks.busy} looks at busy sessions, p95 ${percentile(took, 0.95).toFixed(0)} ms, ${failed.length} failed ${failed[0] ?? ''}`,
    holds: failed.length === 0 && lists.length === tenants && looks.busy > 0 && share <= mostShare,
  }
}

async function watch(
  client: pg.Client,
  looks: { busy: number; waiting: number },
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const { rows } = await client.query<{ busy: number; waiting: number }>(
      `select count(*)::int as busy, count(*) filter (where wait_event_type = 'Lock' and wait_event = 'advisory')::int as waiting
        from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
    )
    looks.busy += rows[0]?.busy ?? 0
    looks.waiting += rows[0]?.waiting ?? 0
    await new Promise((done) => setTimeout(done, 5))
  }
}

async function tokenOf(control: string, email: string): Promise<string> {
  const response = await fetch(`${control}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, app: 'operator' }),
  })
  const { accessToken } = (await response.json()) as { accessToken: string }
  return accessToken
}
