import type { AuditEntry } from '@atrium/api/rpc/audit-recorder'
import type { ActorType, AuditSource } from '@atrium/core/audit/audit'
import type { Trx } from '@atrium/db/platform/connect'

interface Actor {
  readonly type: ActorType
  readonly id: string | null
  readonly email: string | null
  readonly ip: string | null
  readonly source: AuditSource
}

/** Gathers what the audit log says of the history, and writes it at once. */
export interface HistoricAudit {
  system(at: Date, entry: AuditEntry, source?: AuditSource): void
  by(actor: Actor, at: Date, entry: AuditEntry): void
  write(trx: Trx): Promise<void>
}

const rowsAtOnce = 500

export function createHistoricAudit(): HistoricAudit {
  const entries: { actor: Actor; at: Date; entry: AuditEntry }[] = []
  return {
    system: (at, entry, source = 'job') =>
      void entries.push({
        actor: { type: 'system', id: null, email: null, ip: null, source },
        at,
        entry,
      }),
    by: (actor, at, entry) => void entries.push({ actor, at, entry }),
    async write(trx) {
      const rows = entries
        .sort((one, other) => one.at.getTime() - other.at.getTime())
        .map(({ actor, at, entry }) => ({
          at,
          actor_type: actor.type,
          actor_id: actor.id,
          actor_email: actor.email,
          actor_ip: actor.ip,
          source: actor.source,
          action: entry.action,
          outcome: entry.outcome ?? ('success' as const),
          resource_type: entry.resourceType,
          resource_id: entry.resourceId ?? null,
          resource_name: entry.resourceName ?? null,
          tenant_slug: entry.tenantSlug ?? null,
          partner_slug: entry.partnerSlug ?? null,
          metadata: JSON.stringify(entry.metadata ?? {}),
        }))
      for (let from = 0; from < rows.length; from += rowsAtOnce) {
        await trx
          .insertInto('audit_events')
          .values(rows.slice(from, from + rowsAtOnce))
          .execute()
      }
    },
  }
}
