import { changedFields } from '@atrium/core/audit/audit'
import type { BrandingView, EmailTemplate, UpdateBranding } from '@atrium/core/branding/branding'
import type { TemplateKey } from '@atrium/core/branding/template-keys'
import { AppError, type IssueText } from '@atrium/core/platform/errors'
import { saveBranding, saveEmailTemplate } from '@atrium/db/branding/branding'
import type { TenantTrx } from '@atrium/db/tenants/tenants'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import { requireVersion } from '../rpc/edit-version.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerDelegate } from '../rpc/open-tenant.ts'
import type { Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { readBranding } from './get.ts'

type Template = { subject: string; html: string | null; text: string } | null

/**
 * Changes product name, accent colour and message texts. Absent fields stay, null restores the
 * default. 400 `invalid_input` for a text that is not valid Liquid of our subset, with line and
 * column; then nothing is saved. A colour with low contrast is saved with warnings. The audit entry
 * names the messages but not their texts.
 */
export async function updateBranding(
  ctx: Context,
  access: Access,
  input: UpdateBranding,
): Promise<BrandingView> {
  const { services } = ctx
  const templates = templatesOf(input.emailTemplates ?? {})
  await rejectFaults(services, access.tenant.id, templates)
  return tenantTransaction(services, access.tenant.id, async (trx) => {
    const { view, changes, tenant } = await write(trx, access, input, templates)
    if (Object.keys(changes).length === 0) return view
    const entry: AuditEntry = {
      action: 'branding.updated',
      resourceType: 'tenant',
      resourceId: tenant.id,
      resourceName: tenant.name,
      tenantSlug: tenant.slug,
      partnerSlug: tenant.partnerSlug,
      metadata: { changes },
    }
    await services.audit.record(ctx, access.caller, entry, trx)
    return view
  })
}

function templatesOf(
  provided: NonNullable<UpdateBranding['emailTemplates']>,
): [TemplateKey, Template][] {
  return (Object.entries(provided) as [TemplateKey, EmailTemplate | null | undefined][]).flatMap(
    ([key, template]) => {
      if (template === undefined) return []
      return [
        [
          key,
          template && {
            subject: template.subject,
            html: template.html ?? null,
            text: template.text,
          },
        ],
      ]
    },
  )
}

async function rejectFaults(
  services: Services,
  tenantId: string,
  templates: readonly [TemplateKey, Template][],
): Promise<void> {
  const issues: IssueText[] = []
  for (const [key, template] of templates)
    if (template)
      issues.push(
        ...(await services.templates.check(tenantId, {
          key,
          template,
          path: `emailTemplates.${key}`,
        })),
      )
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
}

async function write(
  trx: TenantTrx,
  access: Access,
  input: UpdateBranding,
  templates: readonly [TemplateKey, Template][],
) {
  const tenant = await lockOpenTenant(trx, input.slug)
  await rejectFormerDelegate(trx, access)
  const before = await readBranding(trx, tenant.id)
  requireVersion(input.expectedVersion, before)
  const { productName, accentColor } = input
  if (productName !== undefined || accentColor !== undefined)
    await saveBranding(trx, tenant.id, { productName, accentColor })
  for (const [key, template] of templates) await saveEmailTemplate(trx, tenant.id, key, template)
  const view = await readBranding(trx, tenant.id)
  const changes = {
    ...changedFields(before, view, ['productName', 'accentColor']),
    ...changedFields(
      textsOf(before),
      textsOf(view),
      templates.map(([key]) => key),
    ),
  }
  return {
    view,
    tenant,
    changes: Object.fromEntries(
      Object.entries(changes).map(([name, pair]) => [name, shown(name, pair)]),
    ),
  }
}

function textsOf({ templates }: BrandingView): Record<string, string> {
  return Object.fromEntries(
    templates.map(({ key, override }) => [
      key,
      override ? JSON.stringify([override.subject, override.html, override.text]) : 'standard',
    ]),
  )
}

/** Texts of messages are long and may quote people: the entry says only whose they are. */
function shown(name: string, pair: [unknown, unknown]): [unknown, unknown] {
  if (name === 'productName' || name === 'accentColor') return pair
  const whose = (text: unknown) => (text === 'standard' ? 'standard' : 'own')
  return [whose(pair[0]), whose(pair[1])]
}
