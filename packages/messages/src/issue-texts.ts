import { catalogue } from './catalogue.ts'
import de from './de/ui/issues.json' with { type: 'json' }
import en from './en/ui/issues.json' with { type: 'json' }

export type IssueMessages = typeof en

/** What schemas say about values that they reject, and what else is wrong with an input. */
export const issueTexts = catalogue({ en, de })
