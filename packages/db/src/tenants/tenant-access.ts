import type {
  ProvisioningStep,
  SuspendedBy,
  SuspensionMode,
  TenantStatus,
} from '@atrium/core/tenants/tenants'
import { provisioningSteps } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import { hasUnfinishedWork } from '../members/members.ts'
import { reopened, reopenedAccounts } from '../members/reopened.ts'
import type { Db, Trx } from '../platform/connect.ts'
import { reopenSteps } from '../provisioning/provisioning.ts'
import { signInLocked } from './access-conditions.ts'
import { notifyTenant } from './tenants.ts'

export interface SignInState {
  /** See `signInLocked`. */
  locked: boolean
  /** The identity was made inactive because of that. */
  ended: boolean
}

/**
 * As it is now: another tenant of the person may have been suspended or resumed since a piece of
 * work began.
 */
export async function readSignIn(db: Db | Trx, userId: string): Promise<SignInState> {
  const state = await db
    .selectFrom('users as u')
    .select((eb) => [
      signInLocked(userId).as('locked'),
      eb('u.sign_in_ended_at', 'is not', null).$castTo<boolean>().as('ended'),
    ])
    .where('u.id', '=', userId)
    .executeTakeFirst()
  return state ?? { locked: false, ended: false }
}

export async function markSignInEnded(db: Db | Trx, userId: string, ended: boolean): Promise<void> {
  await db
    .updateTable('users')
    .set(({ fn }) => ({
      sign_in_ended_at: ended ? fn.coalesce('sign_in_ended_at', fn<Date>('now')) : null,
    }))
    .where('id', '=', userId)
    .execute()
}

/** The status of a tenant and why it is suspended, under a lock of its row. */
export function lockSuspension(trx: Trx, tenantId: string) {
  return trx
    .selectFrom('tenants')
    .select(['status', 'suspended_reason as reason'])
    .where('id', '=', tenantId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export type TenantTransition =
  | { status: 'suspended'; mode: SuspensionMode; reason: string | null; by: SuspendedBy }
  | { status: Extract<TenantStatus, 'active' | 'pending'> }
  | { status: 'deleted'; restoreDays: number }
  /** What a suspension took away before the deletion is on record still. */
  | { status: 'suspended'; again: true }

/**
 * Moves a tenant to another status, and says of each member and of the tenant's space that the
 * upstream systems have to follow. Under the tenant's lock. The work is woken by the caller.
 */
export async function transitionTenant(
  trx: Trx,
  tenantId: string,
  turn: TenantTransition,
): Promise<void> {
  await trx
    .updateTable('tenants')
    .set({
      status: turn.status,
      ...suspensionOf(turn),
      deleted_at: turn.status === 'deleted' ? sql<Date>`now()` : null,
      restore_until:
        turn.status === 'deleted'
          ? sql<Date>`now() + make_interval(days => ${turn.restoreDays})`
          : null,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', tenantId)
    .execute()
  // The group of a deleted tenant stays as it is, and its members leave it by their own work.
  await reopenSteps(trx, tenantId, turn.status === 'deleted' ? ['files'] : ['identity', 'files'])
  await trx
    .updateTable('memberships')
    .set((eb) => ({
      ...reopenedAccounts(eb),
      ...reopened(eb.ref('version'), ['identity']),
      // An earlier token names the groups of its time.
      identity_changed_at: sql<Date>`now()`,
    }))
    .where('tenant_id', '=', tenantId)
    .where('status', '<>', 'removing')
    .execute()
  await trx
    .updateTable('memberships')
    .set({ next_at: null })
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'removing')
    .execute()
  await notifyTenant(trx, tenantId)
}

/**
 * Whether an operator has suspended a tenant that the person owns, and no tenant of the person is
 * open. Staff of partners work for customers of their own.
 */
export async function ownsSuspendedAlone(db: Db | Trx, subject: string): Promise<boolean> {
  const row = await db
    .selectFrom('users as u')
    .innerJoin('memberships as m', 'm.user_id', 'u.id')
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .select(({ eb, fn, and }) => [
      fn<boolean | null>('bool_or', [
        and([
          eb('m.role', '=', 'owner'),
          eb('t.status', '=', 'suspended'),
          eb('t.suspended_by', '=', 'operator'),
        ]),
      ]).as('ownsSuspended'),
      fn<boolean | null>('bool_and', [eb('t.status', 'in', ['suspended', 'deleted'])]).as(
        'noneOpen',
      ),
    ])
    .where('m.status', '<>', 'removing')
    .where('u.idp_subject_id', '=', subject)
    .where('u.partner_id', 'is', null)
    .executeTakeFirstOrThrow()
  return row.ownsSuspended === true && row.noneOpen === true
}

/** A deleted tenant keeps what a suspension said, for its restore. */
function suspensionOf(turn: TenantTransition) {
  if (turn.status === 'deleted' || 'again' in turn) return {}
  const { reason, mode, by } =
    turn.status === 'suspended' ? turn : { reason: null, mode: null, by: null }
  return {
    suspended_reason: reason,
    suspended_at: turn.status === 'suspended' ? sql<Date>`now()` : null,
    suspension_mode: mode,
    suspended_by: by,
  }
}

/** How far one upstream system has followed the access of a tenant's members. */
export interface AccessProgress {
  system: ProvisioningStep
  done: number
  waiting: number
  failed: number
  /** The latest failure of a member. */
  error: string | null
}

/** The members of a tenant by what became of them in each upstream system. */
export async function readAccessProgress(db: Db, tenantId: string): Promise<AccessProgress[]> {
  // Plain SQL: the builder has no aggregate with an order and a subscript.
  const { rows } = await sql<AccessProgress>`
    select p.system, count(*) filter (where p.state in ('ok', 'skipped'))::int as done, count(*) filter (where p.state = 'pending')::int as waiting,
      count(*) filter (where p.state = 'error')::int as failed,
      (array_agg(p.error order by m.updated_at desc) filter (where p.error is not null))[1] as error
    from memberships m
    cross join lateral (values ('identity', m.identity_state, m.identity_error), ('mail', m.mail_state, m.mail_error),
      ('files', m.files_state, m.files_error)) p (system, state, error)
    where m.tenant_id = ${tenantId} group by p.system`.execute(db)
  const none = { done: 0, waiting: 0, failed: 0, error: null }
  return provisioningSteps.map(
    (system) => rows.find((row) => row.system === system) ?? { system, ...none },
  )
}

/** Members of a tenant with work left, by their ids. */
export async function unfinishedMembersOf(
  db: Db,
  tenantId: string,
  limit: number,
  after?: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('memberships')
    .select('user_id as userId')
    .where('tenant_id', '=', tenantId)
    .where(hasUnfinishedWork)
    .$if(after !== undefined, (query) => query.where('user_id', '>', after ?? ''))
    .orderBy('user_id')
    .limit(limit)
    .execute()
  return rows.map(({ userId }) => userId)
}
