import type { DemoHistory } from '@atrium/core/demo/demo-history'
import type { HistoricAudit } from './audit.ts'
import type { Made } from './companies.ts'

/** What the records of a history refer to. */
export interface Parts {
  readonly history: DemoHistory
  readonly made: Made
  readonly audit: HistoricAudit
  readonly operator: { readonly id: string; readonly email: string }
}

export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000

export function operatorActor({ id, email }: Parts['operator']) {
  return { type: 'operator', id, email, ip: '198.51.100.20', source: 'operator' } as const
}
