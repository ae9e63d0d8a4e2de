import { randomUUID } from 'node:crypto'
import { createDatabase, dropDatabase } from '@atrium/db/server/provision-database'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { applyMigrations } from '../../src/schema/migrate.ts'

const name = `atrium_invitations_${randomUUID().replaceAll('-', '')}`
let client: pg.Client
beforeAll(async () => {
  const accounts = await createDatabase(inject('adminUrl'), name)
  const admin = new URL(inject('adminUrl'))
  admin.pathname = `/${name}`
  const superuser = new pg.Client({ connectionString: admin.toString() })
  await superuser.connect()
  await superuser.query('create extension if not exists pg_trgm')
  await superuser.end()
  await applyMigrations(accounts.ownerUrl, { to: '0113-customer-credits' })
  client = new pg.Client({ connectionString: accounts.ownerUrl })
  await client.connect()
  await client.query(`
    with t as (insert into tenants (slug, name) values ('acme', 'Acme') returning id),
      p as (insert into partners (slug, name) values ('north', 'North') returning id),
      u as (insert into users (idp_subject_id, email, name, invited, partner_id, partner_access)
        select 'pending:' || email, email, 'Invited', true,
          case when email = 'staff@x.test' then p.id end, case when email = 'staff@x.test' then 'viewer' end
        from p, unnest(array['owner@x.test', 'admin@x.test', 'staff@x.test']) as email
        returning id, email),
      m as (insert into memberships (tenant_id, user_id, role)
        select t.id, u.id, case u.email when 'owner@x.test' then 'owner' else 'admin' end
        from t, u where u.email <> 'staff@x.test'),
      l as (insert into access_links (user_id, email, token_hash, expires_at)
        select id, email, sha256(email::bytea), now() + interval '2 days' from u where email <> 'staff@x.test')
    insert into outbox (key, template, recipient, message_id, values)
      select 'k', 'partner.invited', email, 'm', jsonb_build_object('userId', id) from u where email = 'staff@x.test'`)
  await applyMigrations(accounts.ownerUrl)
}, 120_000)
afterAll(async () => {
  await client.end()
  await dropDatabase(inject('adminUrl'), name)
})

it('an upgrade moves open invitations, with links and queued mails that stay valid', async () => {
  const { rows } = await client.query(`
    select i.kind, i.email, i.role, i.access, i.inviter_name as inviter,
      coalesce(i.token_hash = sha256(i.email::bytea), false) as linked,
      i.expires_at > now() + interval '1 day' as open, o.id is not null as queued
    from invitations i left join outbox o on o.values ->> 'invitationId' = i.id::text order by i.email`)
  expect(rows).toEqual([
    {
      kind: 'member',
      email: 'admin@x.test',
      role: 'admin',
      access: null,
      inviter: 'Acme',
      linked: true,
      open: true,
      queued: false,
    },
    {
      kind: 'owner',
      email: 'owner@x.test',
      role: 'owner',
      access: null,
      inviter: 'Acme',
      linked: true,
      open: true,
      queued: false,
    },
    {
      kind: 'staff',
      email: 'staff@x.test',
      role: null,
      access: 'viewer',
      inviter: 'North',
      linked: false,
      open: true,
      queued: true,
    },
  ])
  const left = await client.query(`select (select count(*)::int from users) as users,
    (select count(*)::int from memberships) as members, (select awaits_owner from tenants) as awaits`)
  expect(left.rows).toEqual([{ users: 0, members: 0, awaits: true }])
})

it('no earlier version of the service adds a person who is only invited', async () => {
  await expect(
    client.query(
      `insert into users (idp_subject_id, email, name, invited) values ('s', 'e@x.test', 'E', true)`,
    ),
  ).rejects.toThrow('users_not_invited')
})
