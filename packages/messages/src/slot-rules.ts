import { catalogue } from './catalogue.ts'
import de from './de/server/slot-rules.json' with { type: 'json' }
import en from './en/server/slot-rules.json' with { type: 'json' }

/** Why a start is on offer or not, rule by rule, as the API shows the tenant's own staff. */
export const slotRuleTexts = catalogue({ en, de })
