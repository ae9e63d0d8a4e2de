import { type Kysely, sql } from 'kysely'

/**
 * Moves the open invitations that were rows of `users` to `invitations`, under the same id, so that
 * links and mails that wait in the queue stay valid. The placeholder of an invited owner goes: the
 * tenant awaits its owner. An invitation whose link has expired already can be sent again.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    insert into invitations (id, kind, tenant_id, partner_id, email, name, first_name, last_name,
      phone, alternative_email, role, access, token_hash, inviter_name, sends, created_at, sent_at,
      expires_at)
    select u.id,
      case when m.role = 'owner' then 'owner' when m.role is not null then 'member' else 'staff' end,
      m.tenant_id, case when m.role is null then u.partner_id end, u.email, u.name, u.first_name,
      u.last_name, u.phone, u.alternative_email, m.role,
      case when m.role is null then u.partner_access end, l.token_hash, coalesce(t.name, p.name),
      case when l.token_hash is null then 0 else 1 end, u.created_at, l.created_at,
      coalesce(l.expires_at, u.created_at + interval '7 days')
    from users u
    left join memberships m on m.user_id = u.id
    left join tenants t on t.id = m.tenant_id
    left join partners p on p.id = u.partner_id
    left join access_links l on l.user_id = u.id and l.email = u.email
    where u.invited and u.removed_at is null and coalesce(m.tenant_id, u.partner_id) is not null`.execute(
    db,
  )
  await sql`
    update tenants set awaits_owner = true where id in (
      select m.tenant_id from memberships m join users u on u.id = m.user_id
      where u.invited and m.role = 'owner')`.execute(db)
  await sql`
    update outbox set values = (values - 'userId') || jsonb_build_object('invitationId', values -> 'userId')
    where template in ('member.invited', 'partner.invited') and state <> 'sent' and values ? 'userId'`.execute(
    db,
  )
  await sql`
    update member_import_rows r set state = 'invited', user_id = null
    from users u where u.id = r.user_id and u.invited`.execute(db)
  await sql`delete from memberships m using users u where u.id = m.user_id and u.invited`.execute(
    db,
  )
  await sql`delete from users where invited`.execute(db)
}
