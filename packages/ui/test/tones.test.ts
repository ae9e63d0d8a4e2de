import { expect, it } from 'vitest'
import { actionLabel, actionSuggestions, tenantActions } from '../src/audit-actions.ts'
import { announce } from '../src/provisioning-steps.tsx'
import { stepMeta, tenantMeta } from '../src/tones.ts'

it('calls a pending step working only while a run is under way', () => {
  expect([stepMeta('pending', true).label, stepMeta('pending', false).label]).toEqual([
    'Working',
    'Waiting',
  ])
})

it('tells a setup that stopped at a failed step from one that goes on', () => {
  const steps = { identity: 'ok', mail: 'error', files: 'ok' } as const
  expect(tenantMeta('pending', steps).tone).toBe('warning')
  expect(tenantMeta('pending', { ...steps, mail: 'pending' }).tone).toBe('working')
  expect(tenantMeta('active', steps).label).toBe('Active')
})

it('announces the whole and every step in one sentence', () => {
  const provisioningStatus = { identity: 'ok', mail: 'error', files: 'skipped' } as const
  expect(announce({ status: 'pending', provisioningStatus, running: false })).toBe(
    'A step has failed. Identity: done, Mail: failed, Files: not needed.',
  )
})

it('writes actions as words, with the readers’ own word for a tenant', () => {
  expect(actionLabel('tenant.created')).toBe('Tenant created')
  expect(actionLabel('tenant.created', 'workplace')).toBe('Workplace created')
  expect(actionLabel('platform.user_invited', 'workplace')).toBe('Platform user invited')
  expect(
    ['sso_app.created', 'domain.dmarc_set', 'domain.dns_regressed'].map((action) =>
      actionLabel(action),
    ),
  ).toEqual(['SSO app created', 'Domain DMARC set', 'Domain DNS regressed'])
})

it('suggests for the log of a tenant what is done in one, and nothing of the platform', () => {
  expect(tenantActions).toEqual(
    expect.arrayContaining([
      'tenant.created',
      'member.suspended',
      'domain.added',
      'subscription.created',
    ]),
  )
  for (const action of [
    'flag.killed',
    'platform.user_invited',
    'partner.created',
    'payout.paid',
    'price.created',
    'user.deactivated',
  ]) {
    expect(tenantActions).not.toContain(action)
  }
})

it('suggests each resource as a leading part before its actions', () => {
  expect(actionSuggestions(['tenant.created', 'user.created', 'tenant.deleted'])).toEqual([
    { group: 'Tenant', items: ['tenant.*', 'tenant.created', 'tenant.deleted'] },
    { group: 'User', items: ['user.*', 'user.created'] },
  ])
})
