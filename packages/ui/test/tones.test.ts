import { expect, it } from 'vitest'
import { actionSuggestions, actionWords } from '../src/audit-actions.ts'
import { announce } from '../src/provisioning-steps.tsx'
import { stepLook, tenantLook } from '../src/tones.ts'

it('calls a pending step working only while a run is under way', () => {
  expect([stepLook('pending', true).label, stepLook('pending', false).label]).toEqual(['Working', 'Waiting'])
})

it('tells a setup that stopped at a failed step from one that goes on', () => {
  const steps = { identity: 'ok', mail: 'error', files: 'ok' } as const
  expect(tenantLook('pending', steps).tone).toBe('warning')
  expect(tenantLook('pending', { ...steps, mail: 'pending' }).tone).toBe('working')
  expect(tenantLook('active', steps).label).toBe('Active')
})

it('announces the whole and every step in one sentence', () => {
  const provisioningStatus = { identity: 'ok', mail: 'error', files: 'skipped' } as const
  expect(announce({ status: 'pending', provisioningStatus, running: false })).toBe(
    'A step has failed. Identity: done, Mail: failed, Files: not needed.',
  )
})

it('writes actions as words, with the readers’ own word for a tenant', () => {
  expect(actionWords('tenant.created')).toBe('Tenant created')
  expect(actionWords('tenant.created', 'workplace')).toBe('Workplace created')
  expect(actionWords('platform.user_invited', 'workplace')).toBe('Platform user invited')
})

it('suggests each resource as a leading part before its actions', () => {
  expect(actionSuggestions(['tenant.created', 'user.created', 'tenant.deleted'])).toEqual([
    { group: 'Tenant', items: ['tenant.*', 'tenant.created', 'tenant.deleted'] },
    { group: 'User', items: ['user.*', 'user.created'] },
  ])
})
