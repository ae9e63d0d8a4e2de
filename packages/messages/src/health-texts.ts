import { catalogue } from './catalogue.ts'
import de from './de/server/health.json' with { type: 'json' }
import en from './en/server/health.json' with { type: 'json' }

export type HealthMessages = typeof en

/** Why a signal of a tenant's health counts as it does. */
export const healthTexts = catalogue({ en, de })
