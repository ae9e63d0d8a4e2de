import type { SuspensionMode } from '@atrium/core/tenants/tenants'
import { translations } from './messages.ts'

const t = translations('ui.labels')

/** The label of a suspension mode, with what it disables. */
export function suspensionLabel(mode: SuspensionMode): { name: string; effect: string } {
  return { name: t(`suspensionModes.${mode}.name`), effect: t(`suspensionModes.${mode}.effect`) }
}
