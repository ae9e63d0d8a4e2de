import {
  awaitsProvisioning,
  isProvisioned,
  type ProvisioningStatus,
  provisioningSteps,
  stepStates,
} from '@atrium/core/provisioning/provisioning'
import { describe, expect, it } from 'vitest'

const done: ProvisioningStatus = { identity: 'ok', mail: 'skipped', files: 'ok' }

describe('provisioning', () => {
  it.each(provisioningSteps.flatMap((step) => stepStates.map((state) => [step, state] as const)))(
    'is over with %s %s only where nothing is left to do',
    (step, state) => {
      expect(isProvisioned({ ...done, [step]: state })).toBe(state === 'ok' || state === 'skipped')
    },
  )

  it.each([
    ['pending', done, true],
    ['active', done, false],
    ['active', { ...done, files: 'error' }, true],
    ['suspended', done, false],
    ['suspended', { ...done, mail: 'pending' }, true],
    ['deleted', { ...done, mail: 'pending' }, false],
  ] as const)('of a tenant that is %s with %o is awaited: %s', (status, steps, awaited) => {
    expect(awaitsProvisioning({ status, provisioningStatus: steps })).toBe(awaited)
  })
})
