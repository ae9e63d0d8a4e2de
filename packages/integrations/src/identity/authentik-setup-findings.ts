import type { SetupAccess, SetupCalls } from './authentik-setup-calls.ts'

export interface SetupFinding {
  level: 'ok' | 'warning' | 'error'
  need: string
  /** What differs, and what to do about it; absent for `ok`. */
  text?: string
}

export interface CheckSetup extends SetupAccess {
  /** The blueprint as it should have been applied. */
  content: string
  portalUrl: string
  operatorUrl: string
  platformAdminGroup: string
  partnerStaffGroup: string
  /** The token that Atrium's API uses, where it is known. */
  apiToken?: string | undefined
}

/** Checks one need; rejects with `UpstreamError` where it cannot be read. */
export type Check = (calls: SetupCalls, setup: CheckSetup) => Promise<SetupFinding[]>

/** What to do about most findings. */
export const again = 'Run the command with "apply".'
export const ok = (need: string): SetupFinding => ({ level: 'ok', need })
export const error = (need: string, text: string): SetupFinding => ({ level: 'error', need, text })
export const warning = (need: string, text: string): SetupFinding => ({
  level: 'warning',
  need,
  text,
})
