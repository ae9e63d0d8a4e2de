import { migrationNames } from '@atrium/db/schema/migrate'
import { beforeAll, describe, expect, it } from 'vitest'
import { hardLocksOf, remedyOf } from './migration-rules.ts'
import { type RecordedMigrations, recordMigrations } from './recorded-migrations.ts'

// Migrations from before any database was in use. Nothing is added here: migration-rules.ts says
// what to write instead.
const beforeFirstUse: readonly string[] = [
  '0005-members: memberships, validated in the transaction that adds it',
  '0005-members: memberships, rows filled under the lock of the change',
  '0005-members: memberships, index without concurrently',
  '0005-members: users, foreign key that is checked at once',
  '0005-members: users, rows filled under the lock of the change',
  '0005-members: users, index without concurrently',
  '0006-domains: domains, constraint that is checked at once',
  '0006-domains: domains, column whose default is computed per row',
  '0006-domains: domains, rows filled under the lock of the change',
  '0006-domains: domains, index without concurrently',
  '0011-partners: partners, constraint that is checked at once',
  '0011-partners: partners, index without concurrently',
  '0011-partners: users, constraint that is checked at once',
  '0011-partners: users, rows filled under the lock of the change',
  '0011-partners: users, validated in the transaction that adds it',
  '0015-reports: subscription_history, index without concurrently',
  '0018-domain-claims: domains, validated in the transaction that adds it',
  '0018-flag-guards: flags, constraint that is checked at once',
  '0018-flag-guards: provisioning_steps, index without concurrently',
  '0019-audit-chain: audit_events, index without concurrently',
  '0020-scheduling: outbox, foreign key that is checked at once',
  '0020-scheduling: outbox, index without concurrently',
  '0021-seat-mode: tenants, validated in the transaction that adds it',
]

let recorded: RecordedMigrations
beforeAll(async () => {
  recorded = await recordMigrations()
}, 120_000)

describe('what a migration does to tables that are in use', () => {
  it('no new one takes a strong lock for longer than a moment', () => {
    const { sent, hardLocks } = recorded
    expect(sent.size).toBe(migrationNames.length)
    expect([...sent.values()].flat().length).toBeGreaterThan(200)
    const told = hardLocks.map(({ migration, rule, table }) => `${migration}: ${table}, ${rule}`)
    expect(told, hardLocks.map(({ rule }) => remedyOf(rule)).join('\n')).toEqual(beforeFirstUse)
  })

  it('the rules find what they are about', () => {
    const found = (text: string) =>
      hardLocksOf('x', [text], new Set(['tenants'])).map(({ rule }) => rule)
    expect(found('create index tenants_plan on tenants (plan)')).toEqual([
      'index without concurrently',
    ])
    expect(found('create index fresh_plan on fresh (plan)')).toEqual([])
    expect(found('alter table tenants add constraint c check (seats > 0)')).toEqual([
      'constraint that is checked at once',
    ])
    expect(
      found(
        'alter table tenants add constraint c check (seats > 0) not valid; alter table tenants validate constraint c',
      ),
    ).toEqual(['validated in the transaction that adds it'])
    expect(found('alter table tenants add constraint c check (seats > 0) not valid')).toEqual([])
    expect(found('alter table tenants add column ref uuid default gen_random_uuid()')).toEqual([
      'column whose default is computed per row',
    ])
    expect(found(`alter table tenants add column mode text not null default 'fixed'`)).toEqual([])
    expect(found('alter table tenants add column p uuid references partners')).toEqual([
      'foreign key that is checked at once',
    ])
    expect(found('alter table tenants alter column plan set not null')).toEqual([
      'not null without a validated check',
    ])
    expect(found('alter table tenants alter column seats type bigint')).toEqual([
      'type of a column changed',
    ])
    expect(found('alter table tenants rename column plan to tier')).toEqual([
      'column, table or constraint renamed',
    ])
    expect(found(`alter table tenants add column note text; update tenants set note = ''`)).toEqual(
      ['rows filled under the lock of the change'],
    )
    expect(found(`update tenants set name = ''`)).toEqual([])
    expect(found('alter table tenants drop column plan')).toEqual(['column dropped'])
  })

  it('takes nothing away that the version before asks for, and asks for nothing that it does not bring', () => {
    expect(recorded.narrowed).toEqual([])
  })
})
