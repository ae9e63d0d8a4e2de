import {
  type PartnerSettingsView,
  type UpdatePartnerSettings,
  UpdatePartnerSettings as UpdateSchema,
} from '@atrium/core/partners/partners'
import type { Plan } from '@atrium/core/tenants/tenants'
import { z } from 'zod'

/** The form as it is typed. An empty number field holds an empty text. */
export interface PartnerSettingsValues {
  supportEmail: string
  supportPhone: string
  supportUrl: string
  defaultPlan: Plan
  defaultSeats: number | string
  noticeEmail: string
}

const { slug: _, expectedVersion: __, ...fields } = UpdateSchema.shape

/** What the form is checked against: the API's own rules; all of it may be left out. */
export const PartnerSettingsForm = z.object(fields)

export function fromSettings(settings: PartnerSettingsView): PartnerSettingsValues {
  return {
    supportEmail: settings.supportEmail ?? '',
    supportPhone: settings.supportPhone ?? '',
    supportUrl: settings.supportUrl ?? '',
    defaultPlan: settings.defaultPlan,
    defaultSeats: settings.defaultSeats,
    noticeEmail: settings.noticeEmail ?? '',
  }
}

const texts = ['supportEmail', 'supportPhone', 'supportUrl', 'noticeEmail'] as const

/**
 * The changes alone; undefined when nothing was changed. A field that was emptied goes back to the
 * standard.
 */
export function changesOf(
  slug: string,
  settings: PartnerSettingsView,
  values: PartnerSettingsValues,
): UpdatePartnerSettings | undefined {
  const before = fromSettings(settings)
  const changed = texts.filter((field) => values[field].trim() !== before[field])
  const changes = {
    ...Object.fromEntries(changed.map((field) => [field, values[field].trim() || null])),
    ...(values.defaultPlan === before.defaultPlan ? {} : { defaultPlan: values.defaultPlan }),
    ...(Number(values.defaultSeats) === before.defaultSeats
      ? {}
      : { defaultSeats: Number(values.defaultSeats) }),
  }
  return Object.keys(changes).length > 0
    ? { slug, ...changes, expectedVersion: settings.editVersion }
    : undefined
}
