import type { DatabaseAccounts } from '@atrium/db/server/provision-database'
import type { Population } from './data.ts'
import type { Issuer } from './issuer.ts'
import type { NoiseGate } from './measure/noise-gate.ts'

/** What the rows of one run share. */
export interface Session {
  rounds: number
  random: () => number
  gate: NoiseGate
  issuer: Issuer
  /** Superuser connection to the server of this run. */
  adminUrl: string
  accounts: DatabaseAccounts
  population: Population
  /** A folder that is removed when the run ends. */
  folder: string
  onRound(round: number): void
}
