import { tenantColumns, tenantJoins } from '@atrium/db/tenants/tenants'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'

// The peers of P1 to P3 and P16: a tenant by its slug and the tenants of a person, as small as Hono
// and pg allow. No token, no guard, no log, no view of the rows. They return the product's record,
// with its columns; `/rows` returns the columns of one table.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 })
pool.on('error', () => {})
const ofOneTable = {
  name: 'tenant_by_slug',
  text: `select id, slug, name, status, plan, partner_id as "partnerId", seats, industry, brand_color as "brandColor",
    billing_company as "billingCompany", billing_vat_number as "billingVatNumber", billing_country as "billingCountry",
    billing_email as "billingEmail", identity_group_id as "identityGroupId", file_space_id as "fileSpaceId",
    suspended_reason as "suspendedReason", created_at as "createdAt", updated_at as "updatedAt"
    from tenants where slug = $1`,
}

const ofTenant = {
  name: 'tenant_with_record',
  text: `select ${tenantColumns('t.id')} from tenants t ${tenantJoins('t.id')} where t.slug = $1`,
}

const ofPerson = {
  name: 'tenants_of_person',
  text: `select ${tenantColumns('t.id')}, mine.role
    from users u join memberships mine on mine.user_id = u.id join tenants t on t.id = mine.tenant_id ${tenantJoins('t.id')}
    where u.idp_subject_id = $1 and t.status <> 'deleted' order by t.id desc limit 26`,
}

const app = new Hono()
app.get('/health', (c) => c.json({ status: 'ok' }))
for (const [path, statement] of [
  ['/tenants/:slug', ofTenant],
  ['/rows/:slug', ofOneTable],
] as const) {
  app.get(path, async (c) => {
    const { rows } = await pool.query({ ...statement, values: [c.req.param('slug')] })
    return rows.length > 0 ? c.json(rows[0]) : c.json({ status: 404 }, 404)
  })
}
app.get('/people/:subject/tenants', async (c) => {
  const { rows } = await pool.query({ ...ofPerson, values: [c.req.param('subject')] })
  return c.json({ items: rows.slice(0, 25), nextCursor: rows.length > 25 ? rows[24].id : null })
})
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
