import { seededNumbers } from '@atrium/core/demo/seeded-numbers'
import { idIn } from './companies.ts'
import type { Parts } from './parts.ts'
import { dayMs, operatorActor } from './parts.ts'

const ok = { state: 'ok' }

/** Actions of admins, partners and operators, as recorded in the audit log. */
export function recordActions({ history, made, audit, operator }: Parts): void {
  const { until } = history
  for (const [index, company] of history.companies.entries()) {
    const random = seededNumbers(3_000 + index)
    const { slug, name, partner, people, since } = company
    const owner = people[0] ?? { email: 'owner@acme.test', name: 'Anna Owner' }
    const ip = `192.0.2.${10 + index}`
    const actor = {
      type: 'user',
      id: idIn(made.people, owner.email),
      email: owner.email,
      ip,
      source: 'portal',
    } as const
    const about = {
      resourceType: 'tenant',
      resourceId: idIn(made.tenants, slug),
      resourceName: name,
      tenantSlug: slug,
      partnerSlug: partner,
    }
    const member = (email: string) => ({
      ...about,
      resourceType: 'member',
      resourceId: idIn(made.people, email),
      resourceName: email,
    })
    const later = () => new Date(since.getTime() + random() * (until.getTime() - since.getTime()))
    audit.by(actor, since, { action: 'tenant.created', ...about, metadata: { plan: 'free' } })
    for (const [number, { email, role }] of people.slice(1).entries()) {
      const at = new Date(
        since.getTime() +
          Math.min(
            (number + 1) * 5 * dayMs,
            ((until.getTime() - since.getTime()) * (number + 1)) / 13,
          ),
      )
      audit.by(actor, at, { action: 'member.created', ...member(email), metadata: { role } })
    }
    const [admin, other] = [
      people[1]?.email ?? 'admin@acme.test',
      people[2]?.email ?? 'member@acme.test',
    ]
    audit.by(actor, later(), {
      action: 'branding.updated',
      ...about,
      metadata: { changes: { accentColor: [null, company.brandColor] } },
    })
    audit.by(actor, later(), {
      action: 'security_policy.updated',
      ...about,
      resourceType: 'security_policy',
      metadata: { changes: { mfaMode: ['off', 'optional'] } },
    })
    audit.by(actor, later(), {
      action: 'member.role_changed',
      ...member(admin),
      metadata: { changes: { role: ['member', 'admin'] } },
    })
    audit.by(actor, later(), {
      action: 'member.password_reset',
      ...member(other),
      metadata: { outcomes: { identity: ok, mail: ok, sessions: ok } },
    })
    audit.by(actor, later(), {
      action: 'billing_info.updated',
      ...about,
      metadata: { changes: { country: [null, company.country] } },
    })
    if (random() < 0.4)
      audit.by({ ...actor, email: other }, later(), {
        action: 'security_policy.updated',
        outcome: 'denied',
        ...about,
        resourceType: 'security_policy',
        metadata: { code: 'role_required' },
      })
    if (random() < 0.3)
      audit.system(later(), {
        action: 'domain.dns_regressed',
        ...about,
        resourceType: 'domain',
        resourceName: `${slug}.tenants.local`,
        metadata: {
          state: ['verified', 'degraded'],
          records: [
            {
              purpose: 'spf',
              name: `${slug}.tenants.local`,
              verdict: 'missing',
              reason: null,
            },
          ],
        },
      })
    if (random() < 0.5)
      audit.by(operatorActor(operator), later(), {
        action: 'tenant.reconciled',
        ...about,
        metadata: { results: { identity: ok, mail: ok, files: ok } },
      })
  }
  for (const { slug, name, since, marginPct } of history.partners) {
    const about = {
      resourceType: 'partner',
      resourceId: idIn(made.partners, slug),
      resourceName: name,
      partnerSlug: slug,
    }
    audit.by(operatorActor(operator), since, {
      action: 'partner.created',
      ...about,
      metadata: { marginPct },
    })
  }
}
