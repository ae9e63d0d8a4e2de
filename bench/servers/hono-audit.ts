import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'

// The peer of P6: the newest hundred entries of a tenant by its slug, as small as Hono and pg make
// it. No token, no guard, no log.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 })
pool.on('error', () => {})
const statement = {
  name: 'audit_of_tenant',
  text: `select id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, actor_type as "actorType", actor_id as "actorId",
    actor_email as "actorEmail", host(actor_ip) as "actorIp", (metadata->>'actorIpTrusted')::boolean as "actorIpTrusted",
    action, outcome, resource_type as "resourceType", resource_id as "resourceId", resource_name as "resourceName",
    tenant_slug as "tenantSlug", partner_slug as "partnerSlug", source, metadata, prev_hash as "prevHash", hash
    from audit_events where tenant_slug = $1 order by audit_events.at desc, id desc limit 101`,
}

const app = new Hono()
app.get('/health', (c) => c.json({ status: 'ok' }))
app.get('/tenants/:slug/audit', async (c) => {
  const { rows } = await pool.query({ ...statement, values: [c.req.param('slug')] })
  const last = rows[99]
  return c.json({
    items: rows.slice(0, 100),
    nextCursor: rows.length > 100 && last ? `${last.at}_${last.id}` : null,
    more: false,
  })
})
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
